export { pageOf } from '@dtplatform/contracts';
export { adminListener } from './admin.js';
export type { ReadinessChecks } from './readiness.js';
export { createHttpApp } from './app.js';
export type { HttpAppOptions, Mount } from './app.js';
export { bearerAuthentication, withoutToken } from './authenticate.js';
export { originCheck } from './cors-options.js';
export type { IsAllowedOrigin } from './cors-options.js';
export type { Handler, RequestContext } from './context.js';
export { errorsOf } from './declared-errors.js';
export { isRead, replyHeadersOf, requestHeadersOf } from './declared-headers.js';
export { documents } from './documents.js';
export { oauthErrors, platformErrors, scimErrors } from './error-formats.js';
export type { ErrorFormat } from './error-formats.js';
export {
  header,
  ignoredHeader,
  locationHeader,
  optionalHeader,
  preferenceAppliedHeader,
  retryAfterHeader,
} from './header-spec.js';
export type { HeaderSpec } from './header-spec.js';
export { createRateLimits } from './rate-limits.js';
export { toAppError } from './errors.js';
export type { ErrorMapper } from './errors.js';
export { etagOf, preconditionOf } from './etag.js';
export type { KeptReply } from './kept-reply.js';
export { parseInput, readBody } from './input.js';
export { mediaTypeOf, normalizedContentType } from './media-types.js';
export { isDecodable } from './refuse-undecodable.js';
export { measureBudgets } from './measure-budgets.js';
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
export { connectionErrors } from './refuse-non-http.js';
export { accepted, created, noContent, ok, streamed } from './reply.js';
export type { Reply } from './reply.js';
export { onceClosed } from './request-bounds.js';
export { requestIdOf } from './request-id.js';
export { revision, route, routes } from './route.js';
export type { ReplySpec, Route, RouteTable, SelectingRequest } from './route.js';
export type { Authenticate } from './run-route.js';
export { furtherNames, inAnyCase, knownNames, withShown } from './known-names.js';
export { parseNamed, reportUnknown } from './unknown-names.js';
export { takesPreferences } from './route-names.js';
export { listen, portOf } from './server.js';
export type { Attach, ListenOptions } from './server.js';
