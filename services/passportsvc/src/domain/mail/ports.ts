import type { Mail, NewMail } from './mail.js';

/** Accepts mails. `S` is the session of the caller's transaction: the mail is sent if, and only if, that commits. */
export interface MailQueue<S = unknown> {
  /** @throws ZodError when the mail is not valid, such as a subject of several lines: a programming error */
  send(session: S, mail: NewMail): Promise<void>;
}

export interface MailStore {
  /** A mail that is not sent yet. */
  findQueued(id: string): Promise<Mail | undefined>;
  /** Records the end of a mail and removes its bodies. */
  end(id: string, end: Required<Pick<Mail, 'endedAt' | 'expireAt'>> & Pick<Mail, 'status' | 'reason'>): Promise<void>;
  count(status: Mail['status']): Promise<number>;
}

export interface MailSender {
  /** @throws MailRefused when it makes no sense to try again, any other error when it does */
  send(mail: Mail): Promise<void>;
}

/** The mail server refuses the mail permanently. */
export class MailRefused extends Error {}
