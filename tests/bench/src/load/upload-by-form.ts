import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { request } from 'undici';
import { content } from './content.js';

/** filesvc: one file as a part of a form. */
export interface FormTarget {
  kind: 'form';
  url: string;
  token: string;
  namespace: string;
  /** The folder. Defaults to the root. */
  parent?: string;
}

export async function uploadByForm(
  { url, token, namespace, parent = 'root' }: FormTarget,
  bytes: number,
): Promise<void> {
  const boundary = randomUUID();
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${randomUUID()}.bin"\r\n` +
      'Content-Type: application/octet-stream\r\n\r\n',
  );
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  async function* form() {
    yield head;
    yield* content(bytes);
    yield end;
  }
  const { statusCode, body } = await request(
    `${url}/filesvc/api/v1/files?nsfilter=${namespace}&_namespaces=${namespace}&_parents=${parent}`,
    {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'content-length': String(head.length + bytes + end.length),
      },
      body: Readable.from(form(), { objectMode: false }),
      ...{ headersTimeout: 0, bodyTimeout: 0 },
    },
  );
  const response = await body.text();
  if (statusCode !== 201) throw new Error(`the form was answered ${statusCode}: ${response.slice(0, 300)}`);
}
