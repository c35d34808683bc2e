import { finished } from 'node:stream';
import type { Readable } from 'node:stream';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { commonErrors } from '@dtplatform/errors';
import { isNotModified } from './headers.js';

/** A handler's response: a status with a JSON body, a stream, or headers only. */
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

/** 202: the work continues; `location` is the URL of its state. */
export const accepted = <B = never>(location: string, body?: B): RouteResponse<B> => ({
  status: 202,
  body,
  headers: { location },
});

/** A body streamed from elsewhere, such as the object store. */
export const streamed = (status: 200 | 206, stream: Readable, headers: Headers): RouteResponse<never> => ({
  status,
  stream,
  headers,
});

/** Sends a handler's response. @throws the error of a stream that fails before its first byte */
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
  // The code below handles its errors. An error in between must not end the process.
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
  // After the first byte, only a broken connection can signal a failure: the pipeline destroys both ends.
  await pipeline(stream, res).catch(() => undefined);
}

/**
 * Until the stream has a byte, ends, or the caller disconnects: once piped, a stream cannot become an error response.
 */
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

/** Escaping can make a page's text much longer than the stored data. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

/** Longest response that is written as a string. */
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

/**
 * Node.js sends a short string together with the headers. Long text becomes bytes, which count as the request's memory.
 */
function bodyOf(value: unknown): string | Buffer {
  const text = JSON.stringify(value);
  return text.length > MAX_TEXT_CHARACTERS ? Buffer.from(text) : text;
}
