import type { Readable } from 'node:stream';

/** A handler's reply: a status with a JSON body, a stream, or headers only. */
export interface Reply {
  status: number;
  headers?: Record<string, string | number>;
  body?: unknown;
  stream?: Readable;
}

type Headers = Reply['headers'];

export const ok = (body: unknown, headers?: Headers): Reply => ({ status: 200, body, headers });
export const created = (body: unknown, headers?: Headers): Reply => ({ status: 201, body, headers });
export const noContent = (headers?: Headers): Reply => ({ status: 204, headers });

/** 202: the work continues; its state can be read at `location`. */
export const accepted = (location: string, body?: unknown): Reply => ({ status: 202, body, headers: { location } });

/** A body that is streamed from elsewhere, such as the object store. */
export const streamed = (status: 200 | 206, stream: Readable, headers: Headers): Reply => ({ status, stream, headers });
