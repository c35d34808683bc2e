import { request, type IncomingMessage } from 'node:http';
import { pipeline, type Duplex } from 'node:stream';
import { requestIdOf, sendErrorOnSocket, ServiceBroke, ServiceDown } from './errors.js';
import { forwardedHeaders, responseHeaders } from './headers.js';
import type { Route } from './routes.js';

/** Forwards the opening of a websocket; once the service agrees, both connections are joined byte by byte. */
export function forwardUpgrade(req: IncomingMessage, socket: Duplex, head: Buffer, route: Route): void {
  const port = route.upstreamPort();
  if (port === undefined) return sendErrorOnSocket(req, socket, ServiceDown);
  requestIdOf(req);
  const headers = { ...req.headers, ...forwardedHeaders(req) };
  const upstream = request({ agent: false, host: '127.0.0.1', port, method: req.method, path: req.url, headers });

  upstream.on('upgrade', (answer, peer, peerHead) => {
    socket.write(responseHead(answer, answer.rawHeaders));
    socket.unshift(head);
    peer.unshift(peerHead);
    pipeline(socket, peer, socket, () => undefined);
  });
  upstream.on('response', (refusal) => {
    socket.write(responseHead(refusal, [...responseHeaders(refusal), 'Connection', 'close']));
    pipeline(refusal, socket, () => undefined);
  });
  upstream.on('error', (error: NodeJS.ErrnoException) =>
    sendErrorOnSocket(req, socket, error.code === 'ECONNREFUSED' ? ServiceDown : ServiceBroke),
  );
  socket.on('error', () => upstream.destroy());
  socket.on('close', () => upstream.destroy());
  upstream.end();
}

function responseHead({ statusCode, statusMessage }: IncomingMessage, rawHeaders: readonly string[]): string {
  const lines = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : []));
  return [`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines, '', ''].join('\r\n');
}
