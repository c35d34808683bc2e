import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import type { RequestListener, Server, ServerOptions } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Express } from 'express';
import type { Lifecycle } from '@dtplatform/lifecycle';
import { rejectNonHttp, requireHost, trackConnections } from './bare-server.js';
import type { Connections } from './bare-server.js';

const IDLE_TIMEOUT_MS = 120_000;
const DEFAULT_KEEP_ALIVE_MS = 100_000;
/**
 * Node.js also counts the idle time before a connection's first request, so the header timeout must exceed keep-alive.
 */
const HEADERS_BEYOND_KEEP_ALIVE_MS = 10_000;
const DEFAULT_MAX_CONNECTION_AGE_MS = 120_000;

/**
 * Serves protocols other than HTTP, such as websockets.
 * @param release call it when a connection no longer carries HTTP; its new owner closes it
 * @returns a function that closes these connections when the server stops
 */
export type Attach = (server: Server, release: (socket: Duplex) => void) => () => Promise<void>;

export interface ListenOptions {
  name: string;
  host?: string;
  port: number;
  lifecycle: Lifecycle;
  /** How long requests are still accepted after a shutdown begins. Default 0. */
  drainMs?: number;
  /** Keep-alive timeout. It must exceed that of load balancers, so that they close first. Default 80 seconds. */
  keepAliveMs?: number;
  /** An older connection closes after its next response. Default 2 minutes. */
  maxConnectionAgeMs?: number;
  attach?: Attach;
}

/**
 * Serves until the lifecycle stops. Requests are then still accepted for `drainMs`, with responses that close their
 * connections. After that the server accepts no new connections, finishes running requests and closes idle connections
 * and websockets. A request may take any time while bytes move (uploads), but must not stall.
 * @returns the listening server
 */
export async function listen(listener: RequestListener, options: ListenOptions): Promise<Server> {
  const keepAliveTimeout = options.keepAliveMs ?? DEFAULT_KEEP_ALIVE_MS;
  const headersTimeout = keepAliveTimeout + HEADERS_BEYOND_KEEP_ALIVE_MS;
  const server = createServer(
    { requestTimeout: 0, headersTimeout, keepAliveTimeout, requireHostHeader: false, ...messageClasses(listener) },
    requireHost(listener),
  );
  server.setTimeout(IDLE_TIMEOUT_MS);
  if (headersTimeout > IDLE_TIMEOUT_MS) {
    server.on('connection', (socket) => socket.setTimeout(headersTimeout));
    server.prependListener('request', ({ socket }) => socket.setTimeout(IDLE_TIMEOUT_MS));
  }
  const connections = trackConnections(server, options.maxConnectionAgeMs ?? DEFAULT_MAX_CONNECTION_AGE_MS);
  rejectNonHttp(server, connections);
  const detach = options.attach?.(server, (socket) => connections.release(socket as Socket));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  options.lifecycle.onStop(`${options.name} server`, () =>
    close(server, connections, { drainMs: options.drainMs, detach }),
  );
  return server;
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function close(
  server: Server,
  connections: Connections,
  { drainMs = 0, detach }: { drainMs?: number; detach?: () => Promise<void> },
): Promise<void> {
  connections.closeAfterAnswers();
  await delay(drainMs);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  connections.endWhenIdle();
  // The server also waits for connections that it has released.
  await detach?.();
  await closed;
}

/**
 * Classes for `createServer` whose objects have an Express application's request and response prototypes from the
 * start. Otherwise Express replaces the prototype of each object, which makes every later access slow: a small POST
 * takes five times as long.
 */
function messageClasses(listener: RequestListener): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  if (!isExpress(listener)) return {};
  class Request extends IncomingMessage {}
  class Response<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {}
  listener.request = Object.setPrototypeOf(Request.prototype, listener.request) as Express['request'];
  listener.response = Object.setPrototypeOf(Response.prototype, listener.response) as Express['response'];
  return { IncomingMessage: Request, ServerResponse: Response };
}

const isExpress = (listener: RequestListener | Express): listener is Express =>
  'request' in listener && 'response' in listener;
