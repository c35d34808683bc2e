import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { Precondition, Revised } from '@dtplatform/contracts';
import type { DeclaredError } from '@dtplatform/errors';
import type { PrincipalKind } from '@dtplatform/jwt';
import type { Logger } from '@dtplatform/logging';
import type { Access, Declaration, Needs } from '@dtplatform/permissions';
import type { ErrorFormat } from './error-formats.js';
import type { HeaderSpec } from './headers.js';
import type { RouteResponse } from './response.js';

type Method = 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete' | 'options';

/** A documented answer: a schema of its JSON body, null for none, or a description of another content type. */
export type ResponseSpec = z.ZodType | null | { contentType: string; description: string; schema?: z.ZodType };

/**
 * One operation. Validation, authentication, permission, API description, span name, log and metric labels come from
 * here. It does not compile unless it says who may call it.
 */
type RouteSpec<P, Q, B, R, E = unknown> = OperationSpec<P, Q, B, R, E> & Guard<P, Q, B, R>;

/** What a caller needs: a permission, to be of a certain kind, both, or not even a token. */
type Guard<P, Q, B, R> =
  | { auth: 'none'; needs?: undefined; callers?: undefined }
  | { needs: Needs<RequestContext<NoInfer<P>, NoInfer<Q>, NoInfer<B>>, R> }
  | { callers: PrincipalKind[] };

interface OperationSpec<P, Q, B, R, E> {
  /** `<resource>.<verb>`, unique in the service. */
  operation: string;
  /** One sentence for the API reference. */
  summary: string;
  /** More sentences for the API reference, in Markdown. */
  description?: string;
  /** The operation that this one is under another path; the reference shows that one only. */
  aliasOf?: string;
  /** `none`: no token is needed. */
  auth?: 'bearer' | 'none';
  /** Apps may authenticate by HTTP Basic, which the handler reads (RFC 6749, section 2.3.1). */
  takesBasic?: boolean;
  /** Another header that may hold the token, besides `authorization`. */
  tokenHeader?: string;
  /** The kinds of principal that may call; others get a 403. All by default. */
  callers?: PrincipalKind[];
  params?: z.ZodType<P>;
  query?: z.ZodType<Q>;
  /** JSON body. Without it the handler may read the request's stream itself. */
  body?: z.ZodType<B>;
  /** Reads the JSON of the body in another way than parseJson, and throws JsonRefused as it does. */
  parse?: (bytes: Buffer) => unknown;
  /** Content type of a body that the handler reads itself, for the API reference. */
  streamedBody?: string;
  /**
   * For a POST with a streamed body that takes an `Idempotency-Key`: reads the body of a repetition to its end without storing it.
   * Its result is compared with `bodyDigest` of the context, which the handler sets for the first request.
   */
  digestBody?: (context: RequestContext<NoInfer<P>, NoInfer<Q>>) => Promise<string>;
  /**
   * The body as the API reference shows it, where the handler reads it itself, or `body` accepts more because the use case
   * rejects each entry on its own.
   */
  shownBody?: z.ZodType;
  /** Bytes; a longer JSON body is a 413. 1 MiB by default; a body of more is read only once `needs` is met. */
  maxBodyBytes?: number;
  /** The content-encoding of the request describes the file, not this body (resumable uploads). */
  ignoreContentEncoding?: boolean;
  /** It may take minutes: what its body took of the process's memory is then free for others. */
  mayTakeLong?: boolean;
  needs?: Needs<RequestContext<NoInfer<P>, NoInfer<Q>, NoInfer<B>>, R>;
  /** A POST that changes nothing: it ignores `Idempotency-Key`, since its answer depends on the time of the call. */
  reads?: boolean;
  /** Selects one of several routes with the same method and path. The last one should take every request. */
  when?: (request: SelectingRequest) => boolean;
  responses: Record<number, ResponseSpec>;
  /** Headers of responses, by status. Those that follow from the declaration, such as the ETag, need not be listed. */
  headers?: Record<number, HeaderSpec[]>;
  /** Headers that the handler reads. Those that follow from the declaration need not be listed. */
  requestHeaders?: HeaderSpec[];
  /** The write takes `precondition` from the context, which is `If-Match`. */
  ifMatch?: boolean;
  /** The service's errors that this operation may answer with. Those that follow from the declaration need not be listed. */
  errors?: DeclaredError[];
  /** For a page among the operations of an API; that of the table by default. */
  errorFormat?: ErrorFormat;
  /**
   * The stored revision of what the handler answers with: the ETag of the response, and what `If-Match` compares. Undefined for
   * a response that is not the whole resource, such as a projection. Routes without it have no ETag.
   */
  etag?: (body: E, context: RequestContext<P, Q, B, R>) => number | undefined;
  /** What callers see of it. */
  show?: (body: E) => unknown;
  /** Fields of the response that a repetition with the same idempotency key does not show. */
  secrets?: string[];
  /**
   * For a repetition with the same idempotency key: one of what the first response showed, as the caller may read it now. As
   * the handler would answer with it, or as an entry of its page.
   * @throws 404
   */
  again?: (id: string, context: RequestContext<P, Q, B, R>) => Promise<unknown>;
  handler: (context: RequestContext<P, Q, B, R>) => Promise<RouteResponse<E>>;
}

/** What selects one of several routes with the same method and path. */
export interface SelectingRequest {
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  /** Which of these media types the caller prefers; the first one of those it prefers equally. */
  accepts(types: string[]): string | false;
}

/** For `etag`: the stored revision, which every write raises. */
export const revision = ({ _revision }: Revised): number => _revision;

export interface Route extends OperationSpec<unknown, unknown, unknown, unknown, unknown> {
  method: Method;
  /** Below the table's base, in Express's syntax: `/:id/versions`. */
  path: string;
}

/** All endpoints of one resource. */
export interface RouteTable {
  /** Below the service's prefix: `/files`. */
  base: string;
  routes: Route[];
  errorFormat?: ErrorFormat;
  /** All paths below the base are the table's: other ones are a 404 in its error format. */
  ownsBase?: boolean;
}

const declare =
  (method: Method) =>
  <P = unknown, Q = unknown, B = unknown, R = unknown, E = unknown>(
    path: string,
    spec: RouteSpec<P, Q, B, R, E>,
  ): Route =>
    ({ ...spec, method, path }) as unknown as Route;

/** Declares one operation: `route.get('/:id', {...})`. */
export const route = {
  get: declare('get'),
  head: declare('head'),
  post: declare('post'),
  put: declare('put'),
  patch: declare('patch'),
  delete: declare('delete'),
  options: declare('options'),
};

/** Gathers the operations of one resource under a base path. */
export const routes = (
  base: string,
  list: Route[],
  options: Pick<RouteTable, 'errorFormat' | 'ownsBase'> = {},
): RouteTable => ({
  base,
  routes: list,
  ...options,
});

/** What a handler gets: the validated input, and the caller. */
export interface RequestContext<P = unknown, Q = unknown, B = unknown, R = unknown> {
  params: P;
  query: Q;
  body: B;
  /** Length of the body that was read. */
  bodyBytes: number;
  /** Of a body that the handler has read, for `digestBody` of the route. */
  bodyDigest?: string;
  /** What `needs` found and permitted. */
  resource: R;
  /** The caller and what it may do. Routes with `auth: 'none'` have no caller: there, reading this throws. */
  access: Access;
  requestId: string;
  /** The revisions on which a write may happen, from `If-Match`. Stores make it part of the write; it fails with a 412. */
  precondition: Precondition;
  /** Aborted when the caller disconnects before the answer is complete. */
  signal: AbortSignal;
  log: Logger;
  /** For handlers that stream or read headers; JSON handlers never touch these. */
  req: IncomingMessage;
  res: ServerResponse;
}

interface Input {
  params?: unknown;
  query?: unknown;
  body?: unknown;
  resource?: unknown;
}

/** A handler, by the inputs it takes and what it answers with: `Handler<{ params: IdParams; resource: File }, File>`. */
export type Handler<I extends Input = Input, E = unknown> = (
  context: RequestContext<I['params'], I['query'], I['body'], I['resource']>,
) => Promise<RouteResponse<E>>;

/**
 * Documents what a use case checks, because the answer depends on what is stored or on each entry. Checks nothing itself:
 * the permission matrix of the end-to-end tests proves each rule.
 */
export const documents = (rule: Declaration): Needs<{ access: Access }, undefined> => ({
  declares: rule,
  check: async () => undefined,
});
