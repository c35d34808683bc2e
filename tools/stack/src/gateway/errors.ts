import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, defineErrors } from '@dtplatform/errors';
import { endWithError, errorResponse, requestIdOf } from '@dtplatform/http/bare-server';

const RETRY = { headers: { 'retry-after': '1' } };

export const NotFound = new AppError({ status: 404, code: 'NOT_FOUND', message: 'No service serves this path.' });

export const MethodNotAllowed = new AppError(
  { status: 405, code: 'METHOD_NOT_ALLOWED', message: 'This page is read-only.' },
  { headers: { allow: 'GET, HEAD' } },
);

export const ServiceDown = new AppError(
  { status: 503, code: 'UNAVAILABLE', message: 'The service is temporarily unavailable.' },
  RETRY,
);

/** Errors that only a gateway responds with. @public: the page of all errors lists them. */
export const gatewayErrors = defineErrors({
  badGateway: {
    status: 502,
    message: 'The service did not respond to the request.',
    remedy: 'Retry if that is safe. The error comes from the gateway in front of the services.',
  },
});

/** The service accepted the request but closed the connection before responding. */
export const ServiceBroke = gatewayErrors.badGateway(RETRY);

/** Sets the request id that the service will use. Idempotent. */
export const nameRequest = (req: IncomingMessage): string => (req.headers['x-request-id'] = requestIdOf(req));

export function sendError(req: IncomingMessage, res: ServerResponse, error: AppError): void {
  const { body, headers } = errorResponse(error, nameRequest(req));
  res.writeHead(error.status, headers).end(req.method === 'HEAD' ? undefined : body);
  req.resume(); // discards the rest of the body
}

/** For a websocket upgrade. */
export function sendErrorOnSocket(req: IncomingMessage, socket: Duplex, error: AppError): void {
  socket.on('error', () => undefined);
  endWithError(socket, error, nameRequest(req));
}
