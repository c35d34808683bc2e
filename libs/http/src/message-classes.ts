import { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestListener, ServerOptions } from 'node:http';
import express from 'express';

/**
 * For `createServer`: classes whose objects are an Express application's requests and responses from the start. Otherwise
 * Express replaces the prototype of each, after which every use of them is slow: a small POST takes five times as long.
 */
export function messageClasses(listener: RequestListener): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  if (!isExpress(listener)) return {};
  class Request extends IncomingMessage {}
  class Response<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {}
  listener.request = withMembers(Request.prototype, express.request, listener.request);
  listener.response = withMembers(Response.prototype, express.response, listener.response);
  return { IncomingMessage: Request, ServerResponse: Response };
}

const isExpress = (listener: RequestListener | express.Express): listener is express.Express =>
  'request' in listener && 'response' in listener;

/** Adds the members of Express's own prototypes to one. */
function withMembers<T extends object>(prototype: object, ...sources: T[]): T {
  for (const source of sources) Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(source));
  return prototype as T;
}
