import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { eventually } from '@dtplatform/testing';
import { FILES, NS } from './start-app.js';
import type { TestApp } from './start-app.js';

export const RESUMABLE = { uploadType: 'resumable', nsfilter: NS };
export const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

interface PatchOptions {
  offset?: number;
  checksum?: string;
  headers?: Record<string, string>;
}

/** A client of the resumable protocol, for one instance and one user. */
export function uploadClient(app: Pick<TestApp, 'api' | 'url'>, authorization: string) {
  const query = `uploadType=resumable&nsfilter=${NS}`;
  const client = {
    initiate: (name: string, size: number, more: { checksum?: string | number; [field: string]: unknown } = {}) => {
      const { checksum = 'c', ...fields } = more;
      return app.api
        .post(FILES)
        .query(RESUMABLE)
        .set({ authorization })
        .send({ _name: name, _uploadMeta: { _size: size, _checksum: checksum }, ...fields });
    },
    begin: async (name: string, size: number, more: Record<string, unknown> = {}): Promise<string> =>
      (await client.initiate(name, size, more).expect(201)).body._id as string,
    head: (id: string) => app.api.head(`${FILES}/${id}`).query(RESUMABLE).set({ authorization }),
    offset: async (id: string): Promise<number> => {
      const { headers } = await client.head(id).expect(200);
      return Number(headers['upload-offset']);
    },
    patch: (id: string, bytes: Buffer, { offset, checksum = 'c', headers = {} }: PatchOptions = {}) =>
      app.api
        .patch(`${FILES}/${id}`)
        .query({ ...RESUMABLE, checksum })
        .set({ authorization, 'content-type': 'application/octet-stream', ...headers })
        .set(offset === undefined ? {} : { 'upload-offset': String(offset) })
        .send(bytes),
    cancel: (id: string) => app.api.delete(`${FILES}/${id}`).query(RESUMABLE).set({ authorization }),
    get: (id: string) => app.api.get(`${FILES}/${id}`).query({ nsfilter: NS }).set({ authorization }),
    download: async (id: string): Promise<Buffer> => {
      const get = app.api.get(`${FILES}/${id}/content`).query({ nsfilter: NS }).set({ authorization });
      return (await get.responseType('blob').expect(200)).body as Buffer;
    },
    /** A PATCH over a socket that the test controls. */
    openPatch: async (id: string, length: number | 'chunked', checksum = 'c'): Promise<Socket> => {
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
      socket.on('error', () => undefined);
      const framing = length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
      const target = `${FILES}/${id}?${query}&checksum=${checksum}`;
      socket.write(`PATCH ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n${framing}\r\n\r\n`);
      return socket;
    },
    /** Sends the beginning of a body and then destroys the connection. Any number of the bytes may arrive. */
    cut: async (id: string, announced: number, sent: Buffer): Promise<void> => {
      const socket = await client.openPatch(id, announced);
      await new Promise<void>((resolve) => socket.write(sent, () => resolve()));
      socket.destroy();
    },
    /** Resumes like a client: reads the offset and sends the rest, until that succeeds. */
    resume: (id: string, content: Buffer, checksum = 'c') =>
      eventually(async () => {
        const offset = await client.offset(id);
        const response = await client.patch(id, content.subarray(offset), { offset, checksum });
        if (response.status !== 200) throw new Error(`refused with ${response.status}`);
        return response.body as { _status: string };
      }),
  };
  return client;
}
