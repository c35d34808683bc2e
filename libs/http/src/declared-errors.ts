import { commonErrors } from '@dtplatform/errors';
import type { AppError, DeclaredError, ErrorDefinition } from '@dtplatform/errors';
import { takesIfMatch } from './declared-headers.js';
import { runsOnce } from './idempotency.js';
import type { Route } from './route.js';

/** Operations with these rules never respond with a 403. */
const WITHOUT_REFUSAL = new Set(['own', 'anyone']);

/** The errors of an operation: those that the route declares, and those that follow from its declaration. */
export function errorsOf(route: Route): ErrorDefinition[] {
  const all = [...(route.errors ?? []), ...implied(route)].map(({ definition }) => definition);
  return [...new Map(all.map((definition) => [definition.code, definition])).values()];
}

/** Whether an operation says that this may happen. Errors of the platform itself may happen anywhere. */
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

function answersWithPages({ replies }: Route): boolean {
  const page = replies[200];
  return page !== null && page !== undefined && 'shape' in page && '_list' in (page.shape as object);
}
