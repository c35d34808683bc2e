import { z } from 'zod';
import { defineCatalogue } from '@dtplatform/queue';

/** Mails to be sent. A mail itself is a document: the queue holds no addresses and no links. */
export const mailJobs = defineCatalogue('passportsvc.mail', {
  // Eleven minutes of attempts; the relay then gives new ones at most every 10 minutes, until the mail is given up.
  'mail.send': { payload: z.object({ mailId: z.string() }), attempts: 8, backoffMs: 5_000 },
});
