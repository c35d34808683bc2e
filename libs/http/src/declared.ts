import type { Response } from 'express';
import { commonErrors } from '@dtplatform/errors';
import type { AppError, DeclaredError, ErrorDefinition } from '@dtplatform/errors';
import {
  etagHeader,
  idempotencyKey,
  idempotencyReplayed,
  ifMatchHeader,
  ifNoneMatchHeader,
  preferHeader,
} from './headers.js';
import type { HeaderSpec } from './headers.js';
import { runsOnce } from './idempotency.js';
import { takesPreferences } from './known-names.js';
import type { RouteResponse } from './response.js';
import type { Route } from './route.js';

export const isRead = ({ method }: Pick<Route, 'method'>) => method === 'get' || method === 'head';

/** The request headers of a route: declared ones and those implied by its declaration. */
export const requestHeadersOf = (route: Route): HeaderSpec[] => [
  ...(route.requestHeaders ?? []),
  ...(takesIfMatch(route) ? [ifMatchHeader] : []),
  ...(route.etag && isRead(route) ? [ifNoneMatchHeader] : []),
  ...(runsOnce(route) ? [idempotencyKey] : []),
  ...(takesPreferences(route) ? [preferHeader] : []),
];

export const takesIfMatch = (route: Route): boolean =>
  route.ifMatch === true || (route.etag !== undefined && isRead(route));

/** The response headers for a status: declared ones and those implied by the declaration. */
export const responseHeadersOf = (route: Route, status: number): HeaderSpec[] => [
  ...(route.headers?.[status] ?? []),
  ...(route.etag && route.responses[status] ? [etagHeader] : []),
  ...(runsOnce(route) ? [idempotencyReplayed] : []),
];

/** Operations with these rules never respond with a 403. */
const WITHOUT_REFUSAL = new Set(['own', 'anyone']);

/** The errors of an operation: declared ones and those implied by its declaration. */
export function errorsOf(route: Route): ErrorDefinition[] {
  const all = [...(route.errors ?? []), ...implied(route)].map(({ definition }) => definition);
  return [...new Map(all.map((definition) => [definition.code, definition])).values()];
}

/** Whether an operation declares this error. Errors of the platform itself may happen anywhere. */
export const declares = (route: Route, { status, code }: AppError): boolean =>
  status >= 499 || errorsOf(route).some((declared) => declared.code === code && declared.status === status);

function implied(route: Route): DeclaredError[] {
  const { auth, callers, needs, params, method } = route;
  const hasBody = Boolean(route.body ?? route.streamedBody);
  const rule = needs?.declares.rule;
  const mayForbid = callers !== undefined || (rule !== undefined && !WITHOUT_REFUSAL.has(rule));
  const conditions: [boolean, DeclaredError[]][] = [
    [true, [commonErrors.badRequest]],
    [auth !== 'none', [commonErrors.unauthorized, commonErrors.tooManyRequests]],
    [mayForbid, [commonErrors.forbidden]],
    [params !== undefined || rule === 'resource', [commonErrors.notFound]],
    [method === 'get' && answersWithPages(route), [commonErrors.pageTooLarge]],
    [hasBody, [commonErrors.requestTimeout, commonErrors.payloadTooLarge, commonErrors.unsupportedMediaType]],
    [runsOnce(route), [commonErrors.conflict, commonErrors.replyGone]],
    [takesIfMatch(route), [commonErrors.preconditionFailed]],
    [true, [commonErrors.internal, commonErrors.unavailable]],
  ];
  return conditions.flatMap(([applies, errors]) => (applies ? errors : []));
}

function answersWithPages({ responses }: Route): boolean {
  const page = responses[200];
  return page !== null && page !== undefined && 'shape' in page && '_list' in (page.shape as object);
}

/** Headers about the body or its caching; the reference does not list them. */
const OF_THE_BODY = new Set(['content-type', 'content-length', 'cache-control', 'x-accel-buffering']);

/** Compares a response's status and body with the declaration. @throws an error that names the difference */
export function assertDeclared(route: Route, response: RouteResponse): void {
  const declared = route.responses[response.status];
  if (declared === undefined) throw new Error(`${route.operation} does not declare the status ${response.status}`);
  if (declared === null || !('safeParse' in declared)) return;
  const checked = declared.safeParse(response.body);
  if (!checked.success) throw new Error(`${route.operation} breaks its declaration`, { cause: checked.error });
}

/** Compares a response's headers with the declaration. @param res has the headers set by middleware */
export function assertHeaders(route: Route, { status, headers = {} }: RouteResponse, res: Response): void {
  const fail = (name: string, what: string) => {
    throw new Error(`${route.operation}, ${status}: ${what} the header ${name}`);
  };
  const specs = responseHeadersOf(route, status);
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
