import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readMails, startMailCatcher } from '@dtplatform/stack/mail';
import type { CaughtMail, MailCatcherOptions } from '@dtplatform/stack/mail';
import { eventually } from '@dtplatform/testing';

/**
 * A mail server for a test. Start the application with `environment` and its worker (`app.startWorker()`), then read
 * mails: `await mails.to('ann@example.com')`.
 */
export async function catchMails(options: Pick<MailCatcherOptions, 'refuse'> = {}) {
  const directory = await mkdtemp(path.join(tmpdir(), 'dtplatform-mail-'));
  const catcher = await startMailCatcher({ ...options, directory });
  const all = (address: string) =>
    readMails(directory).then((mails) => mails.filter(({ recipients }) => recipients.includes(address)));

  return {
    environment: { SMTP_URL: catcher.url, MAIL_FROM: 'Twins <no-reply@platform.test>' },
    /** The mails to an address, oldest first. */
    all,
    /** The latest mail to an address, once there are `count`. */
    to: (address: string, count = 1): Promise<CaughtMail> =>
      eventually(async () => {
        const mails = await all(address);
        if (mails.length < count) throw new Error(`${mails.length} mails arrived at ${address} instead of ${count}`);
        return mails.at(-1)!;
      }),
    async stop() {
      await catcher.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
