import { z } from 'zod';
import { shownText } from '@dtplatform/contracts';
import { trimmedName } from '../../scim/users/comparable.js';
import type { MailStore } from './mails.store.js';
import type { MailSender } from './smtp-sender.client.js';

const HOUR_MS = 60 * 60 * 1000;

/** Gives up on a mail after this time, as mail servers do (RFC 5321, section 4.5.4.1). */
export const GIVE_UP_AFTER_MS = 72 * HOUR_MS;
/** How long the record outlives the mail. */
const KEEP_SENT_MS = 24 * HOUR_MS;
const KEEP_FAILED_MS = 30 * 24 * HOUR_MS;

export const MAX_SUBJECT_LENGTH = 255;
export const MAX_BODY_LENGTH = 256 * 1024;

/** One address, without a name or a list: cannot end a header or add a recipient. */
export const MailAddress = z
  .string()
  .max(320)
  .overwrite(trimmedName)
  .regex(
    /^[^\s\x00-\x1f\x7f-\x9f,;:<>()[\]"\\@]+@[^\s\x00-\x1f\x7f-\x9f,;:<>()[\]"\\@]+$/u,
    'must be an email address',
  );

export const NewMail = z.object({
  to: MailAddress,
  subject: z
    .string()
    .min(1)
    .max(MAX_SUBJECT_LENGTH)
    .regex(/^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$/u, 'must be one line'),
  text: z.string().max(MAX_BODY_LENGTH),
  html: z.string().max(MAX_BODY_LENGTH).optional(),
});
export type NewMail = z.infer<typeof NewMail>;

/** A mail until its record expires. Loses its bodies once it has ended: they may hold secret links. */
export const Mail = NewMail.partial({ text: true }).extend({
  _id: z.string(),
  status: z.enum(['QUEUED', 'SENT', 'FAILED']),
  createdAt: z.number(),
  endedAt: z.number().optional(),
  /** Why it was given up or, while it waits, why its last attempt failed. */
  reason: z.string().max(1_000).optional(),
  expireAt: z.date().optional(),
});
export type Mail = z.infer<typeof Mail>;

/** The mail server permanently rejected the mail. */
export class MailRejected extends Error {}

const MAX_REASON_LENGTH = 1_000;

type Outcome = Pick<Mail, 'status' | 'reason'>;

export type SendMail = ReturnType<typeof createSendMail>;

interface Deps {
  mailStore: MailStore;
  sender: MailSender;
}

/**
 * Sends a mail unless it was sent or discarded before. After a crash it may be sent twice, with the same Message-ID.
 * @returns the final status; undefined when there is no such mail to send
 * @throws the sender's error when the mail can be retried
 */
export const createSendMail =
  ({ mailStore, sender }: Deps) =>
  async (id: string, { isDiscarded }: { isDiscarded: boolean }): Promise<Outcome | undefined> => {
    const mail = await mailStore.findQueued(id);
    if (!mail) return undefined;
    const end = async (outcome: Outcome): Promise<Outcome> => {
      const endedAt = Date.now();
      const keepMs = outcome.status === 'SENT' ? KEEP_SENT_MS : KEEP_FAILED_MS;
      await mailStore.end(id, { ...outcome, endedAt, expireAt: new Date(endedAt + keepMs) });
      return outcome;
    };
    if (isDiscarded) return end({ status: 'FAILED', reason: 'An administrator discarded the mail.' });
    try {
      await sender.send(mail);
    } catch (error) {
      const reason = shownText((error as Error).message, MAX_REASON_LENGTH);
      const isTooOld = Date.now() - mail.createdAt > GIVE_UP_AFTER_MS;
      if (error instanceof MailRejected || isTooOld) return end({ status: 'FAILED', reason });
      await mailStore.recordFailure(id, reason);
      throw error;
    }
    return end({ status: 'SENT' });
  };
