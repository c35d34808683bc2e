import { z } from 'zod';
import { defineCatalogue } from '@dtplatform/queue';
import type { JobHandler } from '@dtplatform/queue';
import type { SendMail } from './mail.js';

/** Mails to be sent. A mail itself is a document: the queue holds no addresses and no links. */
export const mailJobs = defineCatalogue('passportsvc.mail', {
  // Eight attempts within eleven minutes, then one every 10 minutes, until the mail is given up.
  'mail.send': { payload: z.object({ mailId: z.string() }), attempts: 8, backoffMs: 5_000 },
});

/** Sends a mail. A mail that cannot be sent now is tried again; one that never can be is kept as FAILED. */
export const sendMail =
  (send: SendMail): JobHandler<{ mailId: string }> =>
  async ({ mailId }, { log }) => {
    const outcome = await send(mailId);
    if (outcome?.status === 'FAILED') log.error({ mailId, reason: outcome.reason }, 'mail given up');
  };
