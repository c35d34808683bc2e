import { createTransport } from 'nodemailer';
import { MailRejected } from './mail.js';
import type { Mail } from './mail.js';

export interface SmtpSettings {
  SMTP_URL?: string;
  MAIL_FROM?: string;
}

/** Timeouts of the mail server. A mail that times out is retried. */
const TIMEOUTS = { dnsTimeout: 5_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

export function createSmtpSender({ SMTP_URL, MAIL_FROM }: SmtpSettings) {
  // Keeps files and URLs out of mails.
  const options = { ...TIMEOUTS, disableFileAccess: true, disableUrlAccess: true };
  const transport = SMTP_URL === undefined ? undefined : createTransport({ url: SMTP_URL, ...options });

  return {
    /** @throws MailRejected on a permanent failure, any other error on a temporary one */
    async send({ _id, to, subject, text, html }: Mail): Promise<void> {
      if (!transport) throw new Error('SMTP_URL is not set.');
      const [from, messageId] = [MAIL_FROM!, `<${_id}@${domainOf(MAIL_FROM!)}>`];
      // An address object is not parsed, so it cannot name several recipients.
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

/** Whether the failure is permanent (RFC 5321, section 4.2.1). Authentication and sender errors can be repaired. */
function isRejection(error: unknown): boolean {
  const { responseCode = 0, command } = error as { responseCode?: number; command?: string };
  return responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA');
}
