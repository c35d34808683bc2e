import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A mail as the catcher keeps it, in a JSON file. Beside it lies what was received, as an `.eml` file that mail programs open. */
export interface CaughtMail {
  /** ISO 8601. */
  receivedAt: string;
  /** Of the envelope, as are the recipients. */
  sender: string;
  recipients: string[];
  subject: string;
  text: string;
  html?: string;
  /** All headers by their names in lowercase, each as it was sent. */
  headers: Record<string, string[]>;
}

const SUFFIX = '.json';
let written = 0;

/** Keeps a mail. A file appears under its name only when it is complete. */
export async function keepMail(directory: string, mail: CaughtMail, raw: Buffer): Promise<void> {
  await mkdir(directory, { recursive: true });
  const number = String((written += 1)).padStart(4, '0');
  const file = path.join(directory, `${mail.receivedAt.replaceAll(':', '-')}-${process.pid}-${number}`);
  await writeFile(`${file}.eml`, raw);
  await writeFile(`${file}.part`, `${JSON.stringify(mail, undefined, 2)}\n`);
  await rename(`${file}.part`, `${file}${SUFFIX}`);
}

/** The mails in a folder, the oldest first. */
export async function readMails(directory: string): Promise<CaughtMail[]> {
  const files = await readdir(directory).catch(() => []);
  const names = files.filter((name) => name.endsWith(SUFFIX)).sort();
  return Promise.all(
    names.map(async (name) => JSON.parse(await readFile(path.join(directory, name), 'utf8')) as CaughtMail),
  );
}
