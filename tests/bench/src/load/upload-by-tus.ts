import { request } from 'undici';
import { content } from './content.js';

/** A tus 1.0 server: POST, then one PATCH. */
export interface TusTarget {
  kind: 'tus';
  url: string;
}

export async function uploadByTus({ url }: TusTarget, bytes: number): Promise<void> {
  const tus = { 'tus-resumable': '1.0.0' };
  const created = await request(url, { method: 'POST', headers: { ...tus, 'upload-length': String(bytes) } });
  await created.body.dump();
  const location = new URL(String(created.headers.location), url);
  const patched = await request(location, {
    method: 'PATCH',
    headers: {
      ...tus,
      'content-type': 'application/offset+octet-stream',
      'content-length': String(bytes),
      'upload-offset': '0',
    },
    body: content(bytes),
    ...{ headersTimeout: 0, bodyTimeout: 0 },
  });
  await patched.body.dump();
  if (patched.statusCode !== 204 || Number(patched.headers['upload-offset']) !== bytes)
    throw new Error(`the PATCH answered ${patched.statusCode} with offset ${String(patched.headers['upload-offset'])}`);
}
