import { createTransport } from 'nodemailer';
import { MailRejected } from './mail.js';
import type { Mail } from './mail.js';

export interface SmtpSettings {
  SMTP_URL?: string;
  MAIL_FROM?: string;
}

/** How long a mail server may be silent. A mail that meets a limit is tried again. */
const TIMEOUTS = { dnsTimeout: 5_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

/** Sends mails over SMTP, each over a connection of its own. */
export function createSmtpSender({ SMTP_URL, MAIL_FROM }: SmtpSettings) {
  // Neither a file nor a URL can become part of a mail.
  const options = { ...TIMEOUTS, disableFileAccess: true, disableUrlAccess: true };
  const transport = SMTP_URL === undefined ? undefined : createTransport({ url: SMTP_URL, ...options });

  return {
    /** @throws MailRefused when it makes no sense to try again, any other error when it does */
    async send({ _id, to, subject, text, html }: Mail): Promise<void> {
      if (!transport) throw new Error('SMTP_URL is not set.');
      const [from, messageId] = [MAIL_FROM!, `<${_id}@${domainOf(MAIL_FROM!)}>`];
      // As an object, an address is not parsed: it cannot name more than one recipient.
      const message = { from, to: { name: '', address: to }, messageId, subject, text, html };
      // Automatic responses would reach nobody (RFC 3834, section 5).
      const headers = { 'Auto-Submitted': 'auto-generated' };
      await transport.sendMail({ ...message, headers }).catch((error: unknown) => {
        throw isRejection(error) ? new MailRejected((error as Error).message, { cause: error }) : error;
      });
    },
  };
}

export type MailSender = ReturnType<typeof createSmtpSender>;

const domainOf = (from: string): string => /@([^\s>]+)/.exec(from)?.[1] ?? 'localhost';

/** Whether the server will never take this mail (RFC 5321, section 4.2.1). Errors of a sign-in or a sender can be repaired. */
function isRejection(error: unknown): boolean {
  const { responseCode = 0, command } = error as { responseCode?: number; command?: string };
  return responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA');
}
