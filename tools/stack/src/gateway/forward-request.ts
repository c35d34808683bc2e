import { Agent, request, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { sendError, ServiceBroke, ServiceDown } from './errors.js';
import { requestHeaders, responseHeaders } from './headers.js';
import type { Route } from './routes.js';

/** Idle connections go before the services, which keep them for 65 s, close them. */
const agent = new Agent({ keepAlive: true, timeout: 30_000 });

/**
 * Streams a request to its service and the answer back, each as fast as the slower side; nothing is kept. When either
 * side goes away, so does the other.
 */
export function forwardRequest(req: IncomingMessage, res: ServerResponse, route: Route): void {
  const port = route.upstreamPort();
  if (port === undefined) return sendError(req, res, ServiceDown);

  const upstream = request({
    agent,
    host: '127.0.0.1',
    port,
    method: req.method,
    path: req.url,
    headers: requestHeaders(req),
  });
  upstream.on('response', (answer) => {
    res.writeHead(answer.statusCode!, answer.statusMessage, responseHeaders(answer));
    pipeline(answer, res, () => undefined); // destroys the one when the other breaks
  });
  upstream.on('error', (error) => {
    req.unpipe(upstream);
    if (!res.headersSent && !res.destroyed) return afterFailure(req, res, route, upstream, error);
    req.resume(); // the service answered early and closed: what still comes is not wanted
  });
  res.on('close', () => res.writableFinished || upstream.destroy());

  if (hasBody(req)) req.pipe(upstream);
  else upstream.end();
}

/** A kept connection may have been closed by the service just when it was used again: that is no failure. */
function afterFailure(
  req: IncomingMessage,
  res: ServerResponse,
  route: Route,
  upstream: ClientRequest,
  error: NodeJS.ErrnoException,
): void {
  if (upstream.reusedSocket && error.code === 'ECONNRESET' && !hasBody(req)) return forwardRequest(req, res, route);
  sendError(req, res, error.code === 'ECONNREFUSED' ? ServiceDown : ServiceBroke);
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
