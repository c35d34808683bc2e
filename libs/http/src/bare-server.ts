/* What every server needs, also one without routes, such as a gateway. Loads nothing of those. */
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
  /** Responses that are not complete yet. */
  running: Set<ServerResponse>;
  /** Whether it ever had a request. A connection without one that has received bytes is in the middle of its first. */
  hadRequest: boolean;
}

/** The connections of a server, so that they can be closed without losing a request. */
export interface Connections {
  isBusy(socket: Socket): boolean;
  /** The connection no longer carries HTTP: whoever took it over closes it. */
  release(socket: Socket): void;
  /** From now on every response asks to close its connection, unless its headers were sent before. */
  closeAfterAnswers(): void;
  /**
   * Closes idle connections at once, those in the middle of their first request shortly after, and busy ones when they
   * become idle.
   */
  endWhenIdle(): void;
}

/** Time that a request which was arriving when the server stopped has for the rest of its headers. */
const HEADERS_AT_END_MS = 1_000;

/** @param maxAgeMs an older connection closes after its next response, so that callers discover new replicas */
export function trackConnections(server: Server, maxAgeMs: number): Connections {
  const connections = new Map<Socket, Connection>();
  let closing = false;
  let ending = false;

  // Node.js itself closes only connections that have had a request and are idle at the moment of the stop.
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
      // Once the server is closed, Node.js no longer enforces its timeout for headers.
      setTimeout(endSilent, HEADERS_AT_END_MS).unref();
    },
  };
}

/** A caller that sends nothing for this long has read its response, or never will. */
const IDLE_MS = 2_000;
/** Less than a process has for its shutdown, which waits for responses. */
const MAX_MS = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Reads and discards what a caller still sends after it was rejected, up to limits of time, of size and of silence (RFC 9112,
 * section 9.6): closing a connection with unread bytes resets it, and the caller may then lose the response.
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

/* What a server without routes needs, too, such as a gateway. Loads nothing of those. */

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

/** Sends an error on a connection for which Node.js has no response, and closes our side of it. */
export function endWithError(socket: Duplex, error: AppError, requestId: string): void {
  const { headers, body } = errorResponse(error, requestId);
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...lines, '', body].join('\r\n'));
}

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
 * Responds in the platform's format to what never reaches a route: what the HTTP parser rejects, and CONNECT.
 * @param connections those of the server, if they are tracked already
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
    if (socket.writableEnded) return; // the rest of what was rejected
    // Must not be mixed into a response that is being sent.
    if (!socket.writable || connections.isBusy(socket)) return void socket.destroy();
    endWithError(socket, error, requestId);
    void linger(socket).then(() => socket.destroy());
  }
}

/** Rejects requests without `Host`. For a server without `requireHostHeader`, with which Node.js sends an empty response. */
export const requireHost =
  (listener: RequestListener): RequestListener =>
  (req, res) => {
    if (req.headers.host !== undefined || req.httpVersion !== '1.1') return listener(req, res);
    const error = notHttp();
    const { headers, body } = errorResponse(error, requestIdOf(req));
    res.writeHead(error.status, { ...headers, connection: 'close' }).end(body);
  };

const REQUEST_ID = /^[\w.-]{1,64}$/;

/** The id of a request: that of its caller if it is well-formed, else a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID();
}
