import type { JobHandler } from '@dtplatform/queue';
import type { SendMail } from '../domain/mail/send-mail.js';

/** Sends a mail. A mail that cannot be sent now is tried again; one that never can be is kept as FAILED. */
export const sendMail =
  (send: SendMail): JobHandler<{ mailId: string }> =>
  async ({ mailId }, { log }) => {
    const outcome = await send(mailId);
    if (outcome?.status === 'FAILED') log.error({ mailId, reason: outcome.reason }, 'mail given up');
  };
