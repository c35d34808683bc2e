import { z } from 'zod';
import { defineCatalogue } from '@dtplatform/queue';
import type { JobHandler } from '@dtplatform/queue';
import type { SendMail } from './mail.js';

/** The queue holds ids only: addresses and links stay in the mail's document. */
export const mailJobs = defineCatalogue('passportsvc.mail', {
  // Eight attempts within eleven minutes, then one every 10 minutes until the mail is abandoned.
  'mail.send': { payload: z.object({ mailId: z.string() }), attempts: 8, backoffMs: 5_000, endsIfDiscarded: true },
});

export const sendMail =
  (send: SendMail): JobHandler<{ mailId: string }> =>
  async ({ mailId }, { log, isDiscarded }) => {
    const outcome = await send(mailId, { isDiscarded });
    if (outcome?.status === 'FAILED') log.error({ mailId, reason: outcome.reason }, 'mail could not be sent');
  };
