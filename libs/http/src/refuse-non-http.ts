import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { commonErrors, defineErrors } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';
import { trackConnections } from './connections.js';
import { endWithError, errorReply } from './error-reply.js';
import { linger } from './linger.js';
import { requestIdOf } from './request-id.js';

/** What is wrong with bytes that are no request for a route, if not BAD_REQUEST. */
export const connectionErrors = defineErrors({
  headersTooLarge: {
    status: 431,
    message: 'The request headers have more than 16 KiB.',
    remedy: 'Send fewer or shorter headers; look for cookies that pile up.',
  },
});

const notHttp = () => commonErrors.badRequest({ message: 'The request is not valid HTTP.' });

const ERROR_OF_CODE: Record<string, () => AppError> = {
  HPE_HEADER_OVERFLOW: connectionErrors.headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: commonErrors.requestTimeout,
};

/**
 * Responds in the platform's format to what never reaches a route: what the HTTP parser refuses, and CONNECT.
 * @param connections those of the server, if they are tracked already
 */
export function refuseNonHttp(server: Server, connections = trackConnections(server, Infinity)): void {
  server.on('clientError', (cause: NodeJS.ErrnoException, socket: Socket) => {
    refuse(socket, (ERROR_OF_CODE[cause.code ?? ''] ?? notHttp)(), randomUUID());
  });
  server.on('connect', (req: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    refuse(socket, commonErrors.methodNotAllowed({ headers: { allow: '' } }), requestIdOf(req));
  });

  function refuse(socket: Socket, error: AppError, requestId: string): void {
    if (socket.writableEnded) return; // the rest of what was refused
    // Must not be mixed into a response that is being sent.
    if (!socket.writable || connections.isBusy(socket)) return void socket.destroy();
    endWithError(socket, error, requestId);
    void linger(socket).then(() => socket.destroy());
  }
}

/** Refuses requests without `Host`. For a server without `requireHostHeader`, with which Node.js sends an empty response. */
export const requireHost =
  (listener: RequestListener): RequestListener =>
  (req, res) => {
    if (req.headers.host !== undefined || req.httpVersion !== '1.1') return listener(req, res);
    const error = notHttp();
    const { headers, body } = errorReply(error, requestIdOf(req));
    res.writeHead(error.status, { ...headers, connection: 'close' }).end(body);
  };
