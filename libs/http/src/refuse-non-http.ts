import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { commonErrors, defineErrors } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';
import type { Connections } from './connections.js';
import { platformErrors } from './error-formats.js';

/** What is wrong with bytes that are no request for a route. */
export const connectionErrors = defineErrors({
  notHttp: { status: 400, code: 'BAD_REQUEST', message: 'The request is not valid HTTP.' },
  headersTooLarge: { status: 431, message: 'The request headers have more than 16 KiB.' },
});

const ERROR_OF_CODE: Record<string, () => AppError> = {
  HPE_HEADER_OVERFLOW: connectionErrors.headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: commonErrors.requestTimeout,
};

/** Responds in the platform's format to requests that the HTTP parser refuses, which never reach a route. */
export function refuseNonHttp(server: Server, connections: Connections): void {
  server.on('clientError', (cause: NodeJS.ErrnoException, socket: Socket) => {
    // Must not be mixed into a response that is being sent.
    if (!socket.writable || connections.isBusy(socket)) return void socket.destroy();
    const error = (ERROR_OF_CODE[cause.code ?? ''] ?? connectionErrors.notHttp)();
    const body = JSON.stringify(platformErrors.body(error, randomUUID()));
    const head = [
      `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
      `content-type: ${platformErrors.contentType}`,
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  });
}
