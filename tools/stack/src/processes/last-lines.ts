import { open } from 'node:fs/promises';

const TAIL_BYTES = 16 * 1024;

/** Reads from the end of the file; empty if it does not exist. */
export async function lastLines(file: string, count: number): Promise<string> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return '';
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
    await handle.read(buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8').trimEnd().split('\n').slice(-count).join('\n');
  } finally {
    await handle.close();
  }
}
