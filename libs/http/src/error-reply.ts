import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AppError } from '@dtplatform/errors';
import { platformErrors } from './error-formats.js';

/** The headers and the body of an error in the platform's format. */
export function errorReply(error: AppError, requestId: string) {
  const body = JSON.stringify(platformErrors.body(error, requestId));
  const headers = {
    ...(error.status === 503 && { 'retry-after': '1' }),
    ...error.headers,
    'content-type': platformErrors.contentType,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  };
  return { headers, body };
}

/** Sends an error on a connection for which Node.js has no response, and closes our side of it. */
export function endWithError(socket: Duplex, error: AppError, requestId: string): void {
  const { headers, body } = errorReply(error, requestId);
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...lines, '', body].join('\r\n'));
}
