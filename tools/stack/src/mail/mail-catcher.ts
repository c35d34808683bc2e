import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import type { SMTPServerSession } from 'smtp-server';
import { keepMail } from './caught-mail.js';

const MAX_BYTES = 10 * 1024 * 1024;

export interface MailCatcher {
  /** For `SMTP_URL`. */
  url: string;
  stop: () => Promise<void>;
}

export interface MailCatcherOptions {
  directory: string;
  /** Returns the SMTP status that rejects a recipient; accepts all by default. */
  refuse?: (recipient: string) => number | undefined;
}

/** Starts a mail server on this machine that accepts every mail, delivers none, and keeps them as files. */
export async function startMailCatcher({ directory, refuse }: MailCatcherOptions): Promise<MailCatcher> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    size: MAX_BYTES,
    closeTimeout: 1_000,
    onRcptTo({ address }, _session, callback) {
      const responseCode = refuse?.(address);
      callback(responseCode ? Object.assign(new Error('refused by the test'), { responseCode }) : undefined);
    },
    onData(stream, session, callback) {
      buffer(stream)
        .then((raw) => receive(directory, raw, session))
        .then(() => callback(), callback);
    },
  });
  // Connection errors, such as a reset by the client.
  server.on('error', () => undefined);
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return {
    url: `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function receive(directory: string, raw: Buffer, { envelope }: SMTPServerSession): Promise<void> {
  const { subject = '', text = '', html, headerLines } = await simpleParser(raw, { skipTextToHtml: true });
  const headers: Record<string, string[]> = {};
  for (const { key, line } of headerLines) (headers[key] ??= []).push(line);
  const mail = {
    receivedAt: new Date().toISOString(),
    sender: envelope.mailFrom ? envelope.mailFrom.address : '',
    recipients: envelope.rcptTo.map(({ address }) => address),
    subject,
    text,
    ...(html && { html }),
    headers,
  };
  await keepMail(directory, mail, raw);
}
