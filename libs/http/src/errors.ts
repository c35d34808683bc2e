import type { Request, Response } from 'express';
import { AppError, commonErrors } from '@dtplatform/errors';
import type { Logger } from '@dtplatform/logging';
import { linger } from './bare-server.js';
import type { ErrorFormat } from './error-formats.js';
import type { RequestBounds } from './request.js';

/** Maps a library's error to one that callers may see; undefined for an unknown error. */
export type ErrorMapper = (error: unknown) => AppError | undefined;

/** With these statuses, the same request may succeed later. */
const LATER = new Set([429, 502, 503, 504]);
const RETRY_AFTER = { 'retry-after': '1' };

/** Converts any thrown value to an error that callers may see. */
export function toAppError(error: unknown, mappers: ErrorMapper[]): AppError {
  if (error instanceof AppError) return error;
  for (const mapper of mappers) {
    const mapped = mapper(error);
    if (mapped) return mapped;
  }
  // Express throws it for a path with an invalid escape sequence.
  if (error instanceof URIError) return commonErrors.badRequest({ cause: error });
  return commonErrors.internal({ cause: error });
}

interface Answering {
  format: ErrorFormat;
  log: Logger;
  baseUrl: string | undefined;
}

/** Responds in the mount's format. Logs the cause of a 5xx; the request's log line has the code of any error. */
export function answerError(error: AppError, req: Request, res: Response, { format, log, baseUrl }: Answering): void {
  const { requestId, bounds } = res.locals as { requestId: string; bounds: RequestBounds };
  res.locals.code = error.code;
  const { isCallerGone } = bounds;
  if (error.status >= 500) logFailure(error, isCallerGone, log);
  if (isCallerGone || res.headersSent) return void res.destroy();
  for (const name of res.getHeaderNames()) if (name.startsWith('content-') || name === 'etag') res.removeHeader(name);
  const headers = { ...format.headers, ...(LATER.has(error.status) && RETRY_AFTER), ...error.headers };
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  const content = format.body(error, requestId, baseUrl);
  const body = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
  if (req.complete || !hasBody(req)) {
    res.writeHead(error.status, { 'content-type': format.contentType, 'content-length': body.length });
    res.end(req.method === 'HEAD' ? undefined : body);
  } else {
    // An unread body must not be parsed as the next request.
    const closing = { 'content-type': format.contentType, 'content-length': body.length, connection: 'close' };
    res.writeHead(error.status, closing).write(body);
    void linger(req).then(() => res.end());
  }
}

/** After the caller has disconnected, errors are expected: reads and writes on its connection break. */
function logFailure(error: AppError, isCallerGone: boolean, log: Logger): void {
  const failure = { err: error.cause ?? error, code: error.code };
  if (isCallerGone) log.info(failure, 'the caller disconnected');
  else log.error(failure, 'request failed');
}

const hasBody = ({ headers }: Request) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
