import { Agent, type ClientRequest, type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createProxyServer, type ProxyServerOptions } from 'httpxy';
import { nameRequest, sendError, sendErrorOnSocket, ServiceBroke, ServiceDown } from './errors.js';
import { dropHopByHop, forwardedHeaders, responseHeaders } from './headers.js';
import type { Route } from './routes.js';

/** Closes idle connections before the services do (after 80 s). */
const agent = new Agent({ keepAlive: true, timeout: 30_000 });
const proxy = createProxyServer({ selfHandleResponse: true });
const upstreamOf = new WeakMap<IncomingMessage, ClientRequest>();
/** Sockets of callers with an open websocket. */
const websockets = new WeakSet<Socket>();
/** The `error` event handles failures. */
const ignore = () => undefined;

/** Streams a request to its service and the response back, with back-pressure. */
export function forwardRequest(req: IncomingMessage, res: ServerResponse, route: Route): void {
  const target = targetOf(req, route);
  if (!target) return sendError(req, res, ServiceDown);
  dropHopByHop(req.headers);
  proxy.web(req, res, { target, agent }).catch(ignore);
}

/** Forwards a websocket upgrade; once the service accepts, both connections are joined. */
export function forwardUpgrade(req: IncomingMessage, head: Buffer, route: Route): void {
  const target = targetOf(req, route);
  if (!target) return sendErrorOnSocket(req, req.socket, ServiceDown);
  proxy.ws(req, req.socket, { target }, head).catch(ignore);
}

function targetOf(req: IncomingMessage, route: Route): ProxyServerOptions['target'] {
  const port = route.upstreamPort();
  nameRequest(req);
  Object.assign(req.headers, forwardedHeaders(req));
  return port === undefined ? undefined : { host: '127.0.0.1', port };
}

proxy.on('proxyReq', (upstream, req) => {
  upstreamOf.set(req, upstream);
  // httpxy closes connections with chunked bodies; a service that responds early would then reset its own response.
  upstream.setHeader('connection', 'keep-alive');
});
proxy.on('proxyRes', (answer, _req, res) => {
  answer.pipe(res.writeHead(answer.statusCode!, answer.statusMessage, responseHeaders(answer)));
});
proxy.on('proxyReqWs', (upstream, _req, socket) => {
  upstream.once('upgrade', (_answer, peer) => {
    websockets.add(socket);
    socket.once('close', () => peer.destroy());
  });
});
proxy.on('error', (error: NodeJS.ErrnoException, req, res, target) => {
  const failure = error.code === 'ECONNREFUSED' ? ServiceDown : ServiceBroke;
  if (!(res instanceof ServerResponse)) return websockets.has(res!) || sendErrorOnSocket(req!, res!, failure);
  if (res.headersSent || res.destroyed) return;
  if (isStaleConnection(req!, error)) proxy.web(req!, res, { target, agent }).catch(ignore);
  else sendError(req!, res, failure);
});

/** Whether the service closed a kept-alive connection just as it was reused; such a request can be retried. */
const isStaleConnection = (req: IncomingMessage, { code }: NodeJS.ErrnoException): boolean =>
  code === 'ECONNRESET' && upstreamOf.get(req)?.reusedSocket === true && !hasBody(req);

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
