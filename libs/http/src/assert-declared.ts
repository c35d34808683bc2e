import type { Response } from 'express';
import { replyHeadersOf } from './declared-headers.js';
import type { Reply } from './reply.js';
import type { Route } from './route.js';

/** Headers that describe the body of a reply, or what caches and proxies may do with it: the reference does not list them. */
const OF_THE_BODY = new Set(['content-type', 'content-length', 'cache-control', 'x-accel-buffering']);

/** Compares a reply with its declaration: status and body. @throws an error that names the difference */
export function assertDeclared(route: Route, reply: Reply): void {
  const declared = route.replies[reply.status];
  if (declared === undefined) throw new Error(`${route.operation} does not declare the status ${reply.status}`);
  if (declared === null || !('safeParse' in declared)) return;
  const checked = declared.safeParse(reply.body);
  if (!checked.success) throw new Error(`${route.operation} breaks its declaration`, { cause: checked.error });
}

/** The same for the headers. @param res has those that middleware has set */
export function assertHeaders(route: Route, { status, headers = {} }: Reply, res: Response): void {
  const fail = (name: string, what: string) => {
    throw new Error(`${route.operation}, ${status}: ${what} the header ${name}`);
  };
  const specs = replyHeadersOf(route, status);
  for (const name of Object.keys(headers)) {
    const isDeclared = specs.some((spec) => spec.name.toLowerCase() === name.toLowerCase());
    if (!isDeclared && !OF_THE_BODY.has(name.toLowerCase())) fail(name, 'does not declare');
  }
  const sent = new Map(
    Object.entries({ ...res.getHeaders(), ...headers }).map(([key, value]) => [key.toLowerCase(), value]),
  );
  for (const { name, schema, required } of specs) {
    const value = sent.get(name.toLowerCase());
    if (value === undefined ? required : !schema.safeParse(value).success) fail(name, 'breaks its declaration of');
  }
}
