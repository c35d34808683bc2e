import { finished } from 'node:stream';
import type { Readable } from 'node:stream';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { commonErrors } from '@dtplatform/errors';
import { isNotModified } from './headers.js';

/** What a handler answers: a status with a JSON body, a stream, or headers alone. */
export interface RouteResponse<B = unknown> {
  status: number;
  headers?: Record<string, string | number>;
  body?: B;
  stream?: Readable;
}

type Headers = RouteResponse['headers'];

export const ok = <B>(body: B, headers?: Headers): RouteResponse<B> => ({ status: 200, body, headers });
export const created = <B>(body: B, headers?: Headers): RouteResponse<B> => ({ status: 201, body, headers });
export const noContent = (headers?: Headers): RouteResponse<never> => ({ status: 204, headers });

/** 202: the work continues; `location` is where its state can be read. */
export const accepted = <B = never>(location: string, body?: B): RouteResponse<B> => ({
  status: 202,
  body,
  headers: { location },
});

/** A body that is streamed from elsewhere, such as the object store. */
export const streamed = (status: 200 | 206, stream: Readable, headers: Headers): RouteResponse<never> => ({
  status,
  stream,
  headers,
});

/** Sends what a handler answered. @throws the error of a stream that breaks before its first byte */
export async function sendResponse(req: IncomingMessage, res: ServerResponse, response: RouteResponse): Promise<void> {
  res.statusCode = response.status;
  for (const [name, value] of Object.entries(response.headers ?? {})) res.setHeader(name, value);
  if (response.stream) await sendStream(req, res, response.stream, Object.keys(response.headers ?? {}));
  else if (response.body === undefined) res.end();
  else sendJson(req, res, response.body);
}

async function sendStream(
  req: IncomingMessage,
  res: ServerResponse,
  stream: Readable,
  headers: string[],
): Promise<void> {
  // The waits below handle its errors. One that comes between them must not end the process.
  stream.on('error', () => undefined);
  if (req.method === 'HEAD' || res.destroyed) {
    stream.destroy();
    return void res.end();
  }
  try {
    await untilReadable(stream, res);
  } catch (error) {
    for (const name of headers) res.removeHeader(name);
    throw error;
  }
  // Once bytes have left, a broken stream can only be shown by a broken connection: the pipeline destroys both ends.
  await pipeline(stream, res).catch(() => undefined);
}

/** Until the stream has a byte or its end, or the caller has gone: a stream that is piped can no longer become an error. */
function untilReadable(stream: Readable, res: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null) => {
      stopWatching();
      stream.off('readable', onReadable);
      res.off('close', onClose);
      if (error) reject(error);
      else resolve();
    };
    const onReadable = () => done();
    const onClose = () => {
      stream.destroy();
      done();
    };
    const stopWatching = finished(stream, { writable: false }, done);
    stream.once('readable', onReadable);
    res.once('close', onClose);
  });
}

/** Escaped characters can make the text of a page much longer than what is stored. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

/** Of a response that is written as text. */
const MAX_TEXT_CHARACTERS = 64 * 1024;

const isPage = (value: unknown) => typeof value === 'object' && value !== null && '_list' in value;

function sendJson(req: IncomingMessage, res: ServerResponse, value: unknown): void {
  const body = bodyOf(value);
  const bytes = Buffer.byteLength(body);
  if (bytes > MAX_PAGE_BYTES && req.method === 'GET' && isPage(value)) throw commonErrors.pageTooLarge();
  if (!res.hasHeader('content-type')) res.setHeader('content-type', 'application/json; charset=utf-8');
  const etag = res.getHeader('etag');
  if (typeof etag === 'string' && isNotModified(req, etag)) return void res.writeHead(304).end();
  res.setHeader('content-length', bytes);
  if (req.method === 'HEAD') return void res.end();
  res.end(body);
}

/** Node.js writes a short text together with the headers. A long one counts as memory of its request, by its bytes. */
function bodyOf(value: unknown): string | Buffer {
  const text = JSON.stringify(value);
  return text.length > MAX_TEXT_CHARACTERS ? Buffer.from(text) : text;
}
