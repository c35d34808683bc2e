import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { FILES } from '@dtplatform/stack/client';
import * as tus from 'tus-js-client';
import type { LoadUser } from '@dtplatform/bench/callers';

/** Fractions of the file after which the client cuts its connection. */
const CUTS = [0.3, 0.65];
const PAUSE_MS = 3_000;
/** The service may take a moment to notice that a writer has disconnected, and rejects another one until then. */
const RETRY_DELAYS_MS = Array.from({ length: 20 }, () => 500);

export interface StoredFile {
  id: string;
  sha256: string;
  /** Time of sending, without the pauses. */
  seconds: number;
  /** The offsets at which it was resumed, in bytes. */
  resumedAt: number[];
}

/** Uploads random bytes with a tus client that cuts the connection twice, pauses and resumes. */
export async function uploadWithCuts({ caller, namespace }: LoadUser, bytes: number): Promise<StoredFile> {
  const content = randomBytes(bytes);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const json = {
    _name: 'large.bin',
    _uploadMeta: { _size: bytes, _checksum: `sha256:${sha256}` },
    _namespaces: [namespace],
  };
  const query = { nsfilter: namespace, uploadType: 'resumable' };
  const { body } = await caller.call<{ _id: string }>('POST', FILES, { query, json, expect: 201 });
  const url = caller.url(`${FILES}/${body._id}`, { ...query, checksum: `sha256:${sha256}` }).href;

  let seconds = 0;
  const resumedAt: number[] = [];
  for (const end of [...CUTS, 1]) {
    const begun = performance.now();
    const offset = await send({ content, url, token: caller.token!, cutAt: end * bytes });
    seconds += (performance.now() - begun) / 1000;
    if (offset > 0) resumedAt.push(offset);
    if (end < 1) await sleep(PAUSE_MS);
  }
  if (resumedAt.length < CUTS.length) throw new Error(`an upload was resumed from its beginning`);
  return { id: body._id, sha256, seconds, resumedAt };
}

interface Sending {
  content: Buffer;
  url: string;
  token: string;
  /** Cuts the connection after this many bytes, unless that is all. */
  cutAt: number;
}

/** Continues an upload. Resolves with its start offset. */
function send({ content, url, token, cutAt }: Sending): Promise<number> {
  let begin = 0;
  return new Promise((resolve, reject) => {
    const upload = new tus.Upload(content, {
      ...{ uploadUrl: url, headers: { authorization: `Bearer ${token}` }, retryDelays: RETRY_DELAYS_MS },
      onBeforeRequest: (request) => {
        if (request.getMethod() === 'PATCH') begin = Number(request.getHeader('Upload-Offset'));
      },
      onProgress: (sent) => {
        if (sent >= cutAt && sent < content.length) upload.abort().then(() => resolve(begin), reject);
      },
      onSuccess: () => resolve(begin),
      onError: reject,
    });
    upload.start();
  });
}

/** Downloads a file and compares it. Resolves with the seconds it took. */
export async function downloadAndCompare({ caller, namespace }: LoadUser, file: StoredFile): Promise<number> {
  const begun = performance.now();
  const url = caller.url(`${FILES}/${file.id}/content`, { nsfilter: namespace });
  const response = await fetch(url, { headers: { authorization: `Bearer ${caller.token}` } });
  if (!response.ok) throw new Error(`GET ${url.pathname} answered ${response.status}`);
  const hash = createHash('sha256');
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) hash.update(chunk);
  if (hash.digest('hex') !== file.sha256) throw new Error('the content of the large file changed');
  return (performance.now() - begun) / 1000;
}
