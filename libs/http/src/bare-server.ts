/* For every server, including one without routes such as a gateway. Must not import the modules for routes. */
import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { randomUUID } from 'node:crypto';
import { commonErrors, defineErrors } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';
import { platformErrors } from './error-formats.js';

interface Connection {
  openedAtMs: number;
  running: Set<ServerResponse>;
  /** False until its first request. If it has received bytes by then, it is in the middle of that request. */
  hadRequest: boolean;
}

/** The connections of a server, tracked so that they can be closed without losing a request. */
export interface Connections {
  isBusy(socket: Socket): boolean;
  /** Stops tracking a connection that no longer carries HTTP; its new owner closes it. */
  release(socket: Socket): void;
  /** Adds `Connection: close` to every response whose headers have not been sent yet. */
  closeAfterAnswers(): void;
  /**
   * Closes idle connections at once, those in the middle of their first request soon, and busy ones when they become
   * idle.
   */
  endWhenIdle(): void;
}

/** How long a request may take to finish sending its headers if they were arriving when the server stopped. */
const HEADERS_AT_END_MS = 1_000;

/** @param maxAgeMs an older connection closes after its next response, so that callers discover new replicas */
export function trackConnections(server: Server, maxAgeMs: number): Connections {
  const connections = new Map<Socket, Connection>();
  let closing = false;
  let ending = false;

  // Node.js closes only connections that have had a request and are idle at that moment.
  function endIfIdle(socket: Socket): void {
    const connection = connections.get(socket);
    if (!ending || !connection || connection.running.size > 0) return;
    if (connection.hadRequest || socket.bytesRead === 0) socket.destroySoon();
  }

  server.on('connection', (socket: Socket) => {
    connections.set(socket, { openedAtMs: performance.now(), running: new Set(), hadRequest: false });
    socket.once('close', () => connections.delete(socket));
  });
  // Prepended, because the application may respond at once.
  server.prependListener('request', ({ socket }: IncomingMessage, res: ServerResponse) => {
    const connection = connections.get(socket);
    if (!connection) return;
    connection.running.add(res);
    connection.hadRequest = true;
    if (closing || performance.now() - connection.openedAtMs > maxAgeMs) res.setHeader('connection', 'close');
    res.once('close', () => {
      connection.running.delete(res);
      endIfIdle(socket);
    });
  });

  return {
    isBusy: (socket) => (connections.get(socket)?.running.size ?? 0) > 0,
    release: (socket) => void connections.delete(socket),
    closeAfterAnswers() {
      closing = true;
      for (const { running } of connections.values()) {
        for (const res of running) if (!res.headersSent) res.setHeader('connection', 'close');
      }
    },
    endWhenIdle() {
      ending = true;
      for (const socket of connections.keys()) endIfIdle(socket);
      const endSilent = () => {
        for (const [socket, { hadRequest }] of connections) if (!hadRequest) socket.destroy();
      };
      // Node.js does not enforce its header timeout once the server is closed.
      setTimeout(endSilent, HEADERS_AT_END_MS).unref();
    },
  };
}

/** A silent caller has read its response by then, or never will. */
const IDLE_MS = 2_000;
/** Below the grace period of a shutdown, which waits for responses. */
const MAX_MS = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Reads and discards what a caller still sends after a rejection, within limits of time, size and silence (RFC 9112,
 * section 9.6). Closing a connection with unread bytes resets it, and the caller may lose the response.
 */
export function linger(req: Readable): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const idle = setTimeout(done, IDLE_MS);
    const timer = setTimeout(done, MAX_MS);
    function count(chunk: Buffer): void {
      bytes += chunk.length;
      idle.refresh();
      if (bytes > MAX_BYTES) done();
    }
    function done(): void {
      clearTimeout(idle);
      clearTimeout(timer);
      req.off('data', count).off('end', done).off('close', done).off('error', done);
      resolve();
    }
    req.on('data', count).once('end', done).once('close', done).once('error', done);
    req.resume();
  });
}

/** The headers and the body of an error in the platform's format. */
export function errorResponse(error: AppError, requestId: string) {
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

/** Sends an error on a connection for which Node.js has no response object, and closes our side. */
export function endWithError(socket: Duplex, error: AppError, requestId: string): void {
  const { headers, body } = errorResponse(error, requestId);
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...lines, '', body].join('\r\n'));
}

/** Errors of bytes that are not an HTTP request for a route, other than BAD_REQUEST. */
export const connectionErrors = defineErrors({
  headersTooLarge: {
    status: 431,
    message: 'The request headers are larger than 16 KiB.',
    remedy: 'Send fewer or shorter headers; check for accumulated cookies.',
  },
});

const notHttp = () => commonErrors.badRequest({ message: 'The request is not valid HTTP.' });

const ERROR_OF_CODE: Record<string, () => AppError> = {
  HPE_HEADER_OVERFLOW: connectionErrors.headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: commonErrors.requestTimeout,
};

/**
 * Responds in the platform's format to requests that reach no route: those that the HTTP parser rejects, and CONNECT.
 * @param connections those of the server, if already tracked
 */
export function rejectNonHttp(server: Server, connections = trackConnections(server, Infinity)): void {
  server.on('clientError', (cause: NodeJS.ErrnoException, socket: Socket) => {
    reject(socket, (ERROR_OF_CODE[cause.code ?? ''] ?? notHttp)(), randomUUID());
  });
  server.on('connect', (req: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    reject(socket, commonErrors.methodNotAllowed({ headers: { allow: '' } }), requestIdOf(req));
  });

  function reject(socket: Socket, error: AppError, requestId: string): void {
    if (socket.writableEnded) return; // The rest of a rejected request.
    // Must not be mixed into a response that is being sent.
    if (!socket.writable || connections.isBusy(socket)) return void socket.destroy();
    endWithError(socket, error, requestId);
    void linger(socket).then(() => socket.destroy());
  }
}

/** Rejects requests without `Host`. Replaces `requireHostHeader`, for which Node.js sends an empty response. */
export const requireHost =
  (listener: RequestListener): RequestListener =>
  (req, res) => {
    if (req.headers.host !== undefined || req.httpVersion !== '1.1') return listener(req, res);
    const error = notHttp();
    const { headers, body } = errorResponse(error, requestIdOf(req));
    res.writeHead(error.status, { ...headers, connection: 'close' }).end(body);
  };

const REQUEST_ID = /^[\w.-]{1,64}$/;

/** The caller's request id if well-formed, else a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID();
}
