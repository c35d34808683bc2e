export { pageOf } from '@dtplatform/contracts';
export { adminListener, createReadiness } from './admin.js';
export type { Readiness, ReadinessChecks } from './admin.js';
export { createHttpApp, originCheck } from './app.js';
export type { HttpAppOptions, IsAllowedOrigin, Mount } from './app.js';
export type { AuditLog } from './audit.js';
export { connectionErrors, requestIdOf } from './bare-server.js';
export { errorsOf, isRead, responseHeadersOf, requestHeadersOf } from './declared.js';
export { oauthErrors, platformErrors, scimErrors } from './error-formats.js';
export type { ErrorFormat } from './error-formats.js';
export { toAppError } from './errors.js';
export type { ErrorMapper } from './errors.js';
export {
  etagOf,
  header,
  idempotencyReplayed,
  ignoredHeader,
  locationHeader,
  mediaTypeOf,
  normalizedContentType,
  optionalHeader,
  preconditionOf,
  preferenceAppliedHeader,
  retryAfterHeader,
} from './headers.js';
export type { HeaderSpec } from './headers.js';
export type { KeptResponse } from './idempotency.js';
export { isDecodable, parseInput, readBody } from './input.js';
export { furtherNames, inAnyCase, knownNames, takesPreferences, withShown } from './known-names.js';
export {
  booleanParameter,
  countedPageOf,
  listParameter,
  MAX_OFFSET,
  nsfilter,
  okCountedPage,
  okPage,
  pagingOf,
  pagingParameters,
  wholeNumber,
  wholePage,
} from './paging.js';
export { createRateLimits } from './rate-limits.js';
export { accepted, created, noContent, ok, streamed } from './response.js';
export type { RouteResponse } from './response.js';
export { measureBudgets } from './request-memory.js';
export { onceClosed } from './request.js';
export { documents, revision, route, routes } from './route.js';
export type { Handler, ResponseSpec, RequestContext, Route, RouteTable, SelectingRequest } from './route.js';
export { bearerAuthentication, withoutToken } from './run-route.js';
export type { Authenticate } from './run-route.js';
export { listen, portOf } from './server.js';
export type { Attach, ListenOptions } from './server.js';
export { parseNamed, reportUnknown } from './unknown-names.js';
