import { request } from 'undici';
import { argument, finish, repeat } from './program.js';

/** Repeated downloads of one URL by several clients. */
export interface Downloads {
  url: string;
  headers: Record<string, string>;
  atOnce: number;
  seconds: number;
  /** Expected length of one download; any other is an error. */
  bytes: number;
}

const { url, headers, atOnce, seconds, bytes } = argument<Downloads>();
const mebibytes = bytes / 2 ** 20;
const { perSecond, done } = await repeat(atOnce, seconds, download);
finish({ perSecond: perSecond * mebibytes, done: done * mebibytes });

async function download(): Promise<void> {
  const { statusCode, body } = await request(url, { headers });
  let received = 0;
  for await (const chunk of body) received += (chunk as Buffer).length;
  if (statusCode !== 200 || received !== bytes) throw new Error(`${url} answered ${statusCode}, ${received} bytes`);
}
