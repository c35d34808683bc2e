import http from 'node:http';
import https from 'node:https';
import { UnexpectedAnswer } from './caller.js';

/**
 * Sends the first `bytes` of a PATCH with `body`, then cuts the connection, as a failing network does. Throws when the
 * platform responds before that.
 */
export async function breakOffPatch(
  url: URL,
  { token, body, bytes }: { token: string; body: Buffer; bytes: number },
): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-length': body.length };
  const { request } = url.protocol === 'https:' ? https : http;
  const outgoing = request(url, { method: 'PATCH', headers, agent: false });
  const closed = new Promise((resolve) => outgoing.on('close', resolve));
  const rejected = new Promise<never>((_, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (early) =>
      reject(new UnexpectedAnswer('PATCH', url, 'nothing before the cut', early.statusCode ?? 0, '')),
    );
  });
  rejected.catch(() => undefined); // errors after the cut do not matter
  const sent = new Promise<void>((resolve) => outgoing.write(body.subarray(0, bytes), () => resolve()));
  try {
    await Promise.race([sent, rejected]);
  } finally {
    outgoing.destroy();
    await closed;
  }
}
