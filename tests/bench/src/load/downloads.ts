import { request } from 'undici';
import { argument } from './argument.js';

/** Repeated downloads of one URL by several clients. */
export interface Downloads {
  url: string;
  headers: Record<string, string>;
  atOnce: number;
  seconds: number;
  /** Expected length of one download; any other is an error. */
  bytes: number;
}

export interface DownloadsResult {
  mebibytesPerSecond: number;
  mebibytes: number;
}

const { url, headers, atOnce, seconds, bytes } = argument<Downloads>();
const begun = performance.now();
let downloads = 0;
await Promise.all(Array.from({ length: atOnce }, downloadUntilTheEnd));
const elapsedSec = (performance.now() - begun) / 1000;
const mebibytes = (downloads * bytes) / 2 ** 20;
console.log(JSON.stringify({ mebibytesPerSecond: mebibytes / elapsedSec, mebibytes } satisfies DownloadsResult));
process.exit(0); // Keep-alive connections.

async function downloadUntilTheEnd(): Promise<void> {
  while (performance.now() - begun < seconds * 1000) {
    const { statusCode, body } = await request(url, { headers });
    let received = 0;
    for await (const chunk of body) received += (chunk as Buffer).length;
    if (statusCode !== 200 || received !== bytes) throw new Error(`${url} answered ${statusCode}, ${received} bytes`);
    downloads += 1;
  }
}
