import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Lifecycle } from '@dtplatform/lifecycle';
import { trackConnections } from './connections.js';
import type { Connections } from './connections.js';
import { refuseNonHttp } from './refuse-non-http.js';

const HEADERS_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 120_000;
/** Longer than the idle time of usual load balancers, so that they close first. */
const KEEP_ALIVE_MS = 65_000;

/**
 * Serves until the lifecycle stops: then no new connection is taken, running requests end, idle connections close.
 * A request may last as long as it moves (uploads), but not stand still.
 * @returns the server, listening
 */
export async function listen(
  listener: RequestListener,
  options: { name: string; host: string; port: number; lifecycle: Lifecycle },
): Promise<Server> {
  const server = createServer(
    { requestTimeout: 0, headersTimeout: HEADERS_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS },
    listener,
  );
  server.setTimeout(IDLE_TIMEOUT_MS);
  const connections = trackConnections(server);
  refuseNonHttp(server, connections);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  options.lifecycle.onStop(`${options.name} server`, () => close(server, connections));
  return server;
}

/** The port that a listening server has. */
export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

function close(server: Server, connections: Connections): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    connections.endWhenIdle();
  });
}
