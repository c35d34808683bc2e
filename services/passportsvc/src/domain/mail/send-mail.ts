import { shownText } from '@dtplatform/contracts';
import { GIVE_UP_AFTER_MS, KEEP_FAILED_MS, KEEP_SENT_MS } from './mail.js';
import { MailRefused } from './ports.js';
import type { MailSender, MailStore } from './ports.js';

const MAX_REASON_LENGTH = 1_000;

interface Outcome {
  status: 'SENT' | 'FAILED';
  reason?: string;
}

export type SendMail = ReturnType<typeof createSendMail>;

interface Deps {
  mailStore: MailStore;
  sender: MailSender;
}

/**
 * Sends a mail unless that has happened. After a crash it may be sent twice, with the same Message-ID.
 * @returns how it ended; nothing when there is no such mail to send
 * @throws the sender's error when the mail is to be tried again
 */
export const createSendMail =
  ({ mailStore, sender }: Deps) =>
  async (id: string): Promise<Outcome | undefined> => {
    const mail = await mailStore.findQueued(id);
    if (!mail) return undefined;
    const outcome = await sender.send(mail).then(
      (): Outcome => ({ status: 'SENT' }),
      (error: unknown): Outcome => {
        const isTooOld = Date.now() - mail.createdAt > GIVE_UP_AFTER_MS;
        if (!(error instanceof MailRefused) && !isTooOld) throw error;
        return { status: 'FAILED', reason: shownText((error as Error).message, MAX_REASON_LENGTH) };
      },
    );
    const endedAt = Date.now();
    const keepMs = outcome.status === 'SENT' ? KEEP_SENT_MS : KEEP_FAILED_MS;
    await mailStore.end(id, { ...outcome, endedAt, expireAt: new Date(endedAt + keepMs) });
    return outcome;
  };
