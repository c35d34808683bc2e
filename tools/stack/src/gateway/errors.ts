import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** An error response of the gateway itself, in the platform's format. */
export interface GatewayError {
  status: number;
  code: string;
  message: string;
  headers?: Record<string, string>;
}

export const NotFound: GatewayError = { status: 404, code: 'NOT_FOUND', message: 'No service serves this path.' };

export const MethodNotAllowed: GatewayError = {
  status: 405,
  code: 'METHOD_NOT_ALLOWED',
  message: 'This page is read-only.',
  headers: { allow: 'GET, HEAD' },
};

export const ServiceDown: GatewayError = {
  status: 503,
  code: 'UNAVAILABLE',
  message: 'The service is temporarily unavailable.',
  headers: { 'retry-after': '1' },
};

/** The service accepted the request and closed the connection before it responded. */
export const ServiceBroke: GatewayError = {
  status: 502,
  code: 'BAD_GATEWAY',
  message: 'The service did not respond to the request.',
  headers: { 'retry-after': '1' },
};

const REQUEST_ID = /^[\w.-]{1,64}$/;

/** The caller's request id if services accept it, else a new one. Always the same for one request. */
export function requestIdOf(req: IncomingMessage): string {
  const sent = req.headers['x-request-id'];
  const requestId = typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID();
  req.headers['x-request-id'] = requestId;
  return requestId;
}

export function sendError(req: IncomingMessage, res: ServerResponse, error: GatewayError): void {
  const { body, headers } = describe(req, error);
  res.writeHead(error.status, headers).end(req.method === 'HEAD' ? undefined : body);
  req.resume(); // discards the rest of the body
}

/** The same for a request to open a websocket. */
export function sendErrorOnSocket(req: IncomingMessage, socket: Duplex, error: GatewayError): void {
  const { body, headers } = describe(req, error);
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
  socket.on('error', () => undefined);
  socket.end([`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...lines, '', body].join('\r\n'));
}

function describe(req: IncomingMessage, { status, code, message, headers }: GatewayError) {
  const requestId = requestIdOf(req);
  const body = JSON.stringify({
    status,
    code,
    message,
    requestId,
    documentation: `/docs/guides/errors#${code.toLowerCase()}`,
  });
  return {
    body,
    headers: {
      ...headers,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'x-request-id': requestId,
    },
  };
}
