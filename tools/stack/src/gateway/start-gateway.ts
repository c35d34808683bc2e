import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { rejectNonHttp, requireHost } from '@dtplatform/http/bare-server';
import { forwardRequest, forwardUpgrade } from './forward.js';
import { NotFound, ServiceDown, sendError, sendErrorOnSocket } from './errors.js';
import { sendHomePage } from './home-page.js';
import { ignoreUpgrade, wantsWebsocket } from './ignore-upgrade.js';
import { sendMailsPage } from './mails-page.js';
import { findRoute, type Route } from './routes.js';

export interface Gateway {
  port: number;
  baseUrl: string;
  /** Accepts no new connections, gives running requests a moment to finish, then closes all connections. */
  close: () => Promise<void>;
}

export interface GatewayOptions {
  port: number;
  routes: readonly Route[];
  /** Where caught mails are kept, which `/mails` shows. */
  mailDirectory?: string;
}

const CLOSE_GRACE_MS = 3_000;

/**
 * Listens on 127.0.0.1 and forwards by path prefix. Responds with 503 for a route whose upstream is not known yet.
 * Throws when the port is in use.
 */
export async function startGateway({ port, routes, mailDirectory }: GatewayOptions): Promise<Gateway> {
  // An upload may take hours.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 65_000, requireHostHeader: false });
  const upgraded = new Set<Duplex>();

  const serve = requireHost((req, res) => {
    const path = pathOf(req.url);
    const route = findRoute(routes, path);
    if (route !== undefined) return forwardRequest(req, res, route);
    if (path === '/') return sendHomePage(req, res, routes);
    if (path === '/mails' && mailDirectory !== undefined)
      return void sendMailsPage(req, res, mailDirectory).catch(() => sendError(req, res, ServiceDown));
    sendError(req, res, NotFound);
  });
  server.on('request', serve);
  rejectNonHttp(server);
  server.on('upgrade', (req, socket, head) => {
    if (!wantsWebsocket(req)) return ignoreUpgrade(server, req, socket, head);
    upgraded.add(socket.once('close', () => upgraded.delete(socket)));
    const route = findRoute(routes, pathOf(req.url));
    if (route === undefined) return sendErrorOnSocket(req, socket, NotFound);
    forwardUpgrade(req, head, route);
  });

  await listen(server, port);
  const listeningOn = (server.address() as AddressInfo).port;
  return {
    port: listeningOn,
    baseUrl: `http://127.0.0.1:${listeningOn}`,
    close: () => close(server, upgraded),
  };
}

const pathOf = (url = '/'): string => url.split('?', 1)[0]!;

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = `Port ${port} is in use by another program. Choose another one: PORT=${port + 1} npm start`;
      reject(error.code === 'EADDRINUSE' ? new Error(taken) : error);
    });
    server.listen(port, '127.0.0.1', resolve);
  });
}

async function close(server: Server, upgraded: ReadonlySet<Duplex>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  for (const socket of upgraded) socket.destroy();
  const inTime = new AbortController();
  const grace = sleep(CLOSE_GRACE_MS, undefined, { signal: inTime.signal }).catch(() => undefined);
  await Promise.race([closed, grace]);
  inTime.abort();
  server.closeAllConnections();
  await closed;
}
