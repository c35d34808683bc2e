import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, readFile, rename, writeFile } from 'node:fs/promises';
import { Transform } from 'node:stream';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The folder contains password hashes and encrypted keys: only its owner may read it. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

/** Undefined if the file does not exist. */
export const ifThere = <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });

export interface Written {
  bytes: number;
  sha256: string;
}

/** Hashes and counts the bytes of a stream. */
export function createMeter(): Transform & { written: () => Written } {
  const hash = createHash('sha256');
  let bytes = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  return Object.assign(meter, { written: () => ({ bytes, sha256: hash.digest('hex') }) });
}

/** Writes a file durably and atomically. @param through transforms the content */
export async function writeWhole(
  file: string,
  content: Readable,
  { signal, through = [] }: { signal: AbortSignal; through?: Transform[] },
): Promise<Written> {
  const draft = `${file}.partial`;
  const meter = createMeter();
  const target = createWriteStream(draft, { mode: PRIVATE_FILE, flush: true });
  await pipeline([content, ...through, meter, target], { signal });
  await rename(draft, file);
  return meter.written();
}

export async function writeJson(file: string, content: unknown): Promise<void> {
  const draft = `${file}.partial`;
  await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: PRIVATE_FILE, flush: true });
  await rename(draft, file);
}

/** Undefined if the file does not exist or is damaged. */
export async function readJson(file: string): Promise<unknown> {
  const text = (await ifThere(readFile(file, 'utf8'))) ?? '';
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Makes the entries of a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

export async function sha256Of(file: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, { signal })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
