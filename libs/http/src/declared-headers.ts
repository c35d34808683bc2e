import {
  etagHeader,
  idempotencyKey,
  idempotencyReplayed,
  ifMatchHeader,
  ifNoneMatchHeader,
  preferHeader,
} from './header-spec.js';
import type { HeaderSpec } from './header-spec.js';
import { runsOnce } from './idempotency.js';
import type { Route } from './route.js';
import { takesPreferences } from './route-names.js';

/** Whether an operation changes nothing. */
export const isRead = ({ method }: Pick<Route, 'method'>) => method === 'get' || method === 'head';

/** The headers that a route reads: those that it declares, and those that follow from its declaration. */
export const requestHeadersOf = (route: Route): HeaderSpec[] => [
  ...(route.requestHeaders ?? []),
  ...(takesIfMatch(route) ? [ifMatchHeader] : []),
  ...(route.etag && isRead(route) ? [ifNoneMatchHeader] : []),
  ...(runsOnce(route) ? [idempotencyKey] : []),
  ...(takesPreferences(route) ? [preferHeader] : []),
];

/** Whether a call may name the revisions that it expects. */
export const takesIfMatch = (route: Route): boolean =>
  route.ifMatch === true || (route.etag !== undefined && isRead(route));

/** The headers of a successful reply: those that the route declares for its status, and those that follow from it. */
export const replyHeadersOf = (route: Route, status: number): HeaderSpec[] => [
  ...(route.headers?.[status] ?? []),
  ...(route.etag && route.replies[status] ? [etagHeader] : []),
  ...(runsOnce(route) ? [idempotencyReplayed] : []),
];
