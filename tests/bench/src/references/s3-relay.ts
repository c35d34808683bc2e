import { Agent, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { argument } from '../load/program.js';
import { serve } from './serve.js';

export interface S3Relay {
  endpoint: string;
}

/**
 * Forwards requests to the S3 server with node:http alone: no tokens, no permissions, no records of files, no parts.
 * Callers send a signed URL of the S3 server with this server's origin.
 */
const { endpoint } = argument<S3Relay>();
const { host } = new URL(endpoint);
const agent = new Agent({ keepAlive: true });

function relay(req: IncomingMessage, res: ServerResponse): void {
  const { method, headers } = req;
  const onward = request(new URL(req.url!, endpoint), { agent, method, headers: { ...headers, host } }, (response) => {
    res.writeHead(response.statusCode!, response.headers);
    pipeline(response, res).catch(() => undefined);
  });
  pipeline(req, onward).catch(() => res.destroy());
}

serve(relay);
