import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The content of a JSON file; beside it is the raw mail as an `.eml` file that mail programs open. */
export interface CaughtMail {
  receivedAt: string;
  /** Sender and recipients are those of the envelope. */
  sender: string;
  recipients: string[];
  subject: string;
  text: string;
  html?: string;
  /** Values by lowercase name, each as sent. */
  headers: Record<string, string[]>;
}

const SUFFIX = '.json';
let written = 0;

/** Keeps a mail. Atomic: a file appears only when complete. */
export async function keepMail(directory: string, mail: CaughtMail, raw: Buffer): Promise<void> {
  await mkdir(directory, { recursive: true });
  const number = String((written += 1)).padStart(4, '0');
  const file = path.join(directory, `${mail.receivedAt.replaceAll(':', '-')}-${process.pid}-${number}`);
  await writeFile(`${file}.eml`, raw);
  await writeFile(`${file}.part`, `${JSON.stringify(mail, undefined, 2)}\n`);
  await rename(`${file}.part`, `${file}${SUFFIX}`);
}

/** Oldest first. */
export async function readMails(directory: string): Promise<CaughtMail[]> {
  const files = await readdir(directory).catch(() => []);
  const names = files.filter((name) => name.endsWith(SUFFIX)).sort();
  return Promise.all(
    names.map(async (name) => JSON.parse(await readFile(path.join(directory, name), 'utf8')) as CaughtMail),
  );
}
