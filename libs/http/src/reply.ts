import type { Readable } from 'node:stream';

/** What a handler answers: a status with a JSON body, a stream, or headers alone. */
export interface Reply<B = unknown> {
  status: number;
  headers?: Record<string, string | number>;
  body?: B;
  stream?: Readable;
}

type Headers = Reply['headers'];

export const ok = <B>(body: B, headers?: Headers): Reply<B> => ({ status: 200, body, headers });
export const created = <B>(body: B, headers?: Headers): Reply<B> => ({ status: 201, body, headers });
export const noContent = (headers?: Headers): Reply<never> => ({ status: 204, headers });

/** 202: the work continues; `location` is where its state can be read. */
export const accepted = <B = never>(location: string, body?: B): Reply<B> => ({
  status: 202,
  body,
  headers: { location },
});

/** A body that is streamed from elsewhere, such as the object store. */
export const streamed = (status: 200 | 206, stream: Readable, headers: Headers): Reply<never> => ({
  status,
  stream,
  headers,
});
