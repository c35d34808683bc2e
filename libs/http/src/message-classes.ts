import { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestListener, ServerOptions } from 'node:http';
import type { Express } from 'express';

/**
 * For `createServer`: classes whose objects are an Express application's requests and responses from the start. Otherwise
 * Express replaces the prototype of each, after which every use of them is slow: a small POST takes five times as long.
 * The application's own `request` and `response` are what Express gives to each as its prototype.
 */
export function messageClasses(listener: RequestListener): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  if (!isExpress(listener)) return {};
  class Request extends IncomingMessage {}
  class Response<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {}
  listener.request = Object.setPrototypeOf(Request.prototype, listener.request) as Express['request'];
  listener.response = Object.setPrototypeOf(Response.prototype, listener.response) as Express['response'];
  return { IncomingMessage: Request, ServerResponse: Response };
}

const isExpress = (listener: RequestListener | Express): listener is Express =>
  'request' in listener && 'response' in listener;
