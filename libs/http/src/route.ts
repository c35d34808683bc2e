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

/** A documented response: the schema of its JSON body, null for none, or a description of another content type. */
export type ResponseSpec = z.ZodType | null | { contentType: string; description: string; schema?: z.ZodType };

/**
 * One operation: the source of its validation, authentication, permission check, API description, span name, and log
 * and metric labels. It compiles only if it declares who may call it.
 */
type RouteSpec<P, Q, B, R, E = unknown> = OperationSpec<P, Q, B, R, E> & Guard<P, Q, B, R>;

/** What a caller needs: a permission, a kind of principal, both, or not even a token. */
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
  /** The operation that this route repeats under another path; only that one appears in the reference. */
  aliasOf?: string;
  /** `none`: no token is needed. */
  auth?: 'bearer' | 'none';
  /** Apps may authenticate by HTTP Basic, which the handler reads (RFC 6749, section 2.3.1). */
  takesBasic?: boolean;
  /** Another header that may carry the token, besides `authorization`. */
  tokenHeader?: string;
  /** The kinds of principal that may call; others get a 403. Defaults to all. */
  callers?: PrincipalKind[];
  params?: z.ZodType<P>;
  query?: z.ZodType<Q>;
  /** JSON body. Without it the handler may read the request's stream itself. */
  body?: z.ZodType<B>;
  /** Replaces parseJson; throws JsonRejected as well. */
  parse?: (bytes: Buffer) => unknown;
  /** Content type of a body that the handler reads itself, for the API reference. */
  streamedBody?: string;
  /**
   * For a POST with a streamed body that accepts an `Idempotency-Key`: reads the body of a repeated request without
   * storing it. The result is compared with `bodyDigest` of the context, which the handler sets on the first request.
   */
  digestBody?: (context: RequestContext<NoInfer<P>, NoInfer<Q>>) => Promise<string>;
  /**
   * The body in the API reference, if the handler reads it itself or `body` is more lenient because the use case
   * rejects entries one by one.
   */
  shownBody?: z.ZodType;
  /**
   * Limit of a JSON body in bytes, 1 MiB by default; longer ones are a 413. Above 1 MiB, the body is read only once
   * `needs` is met.
   */
  maxBodyBytes?: number;
  /** `Content-Encoding` describes the file, not this body (resumable uploads). */
  ignoreContentEncoding?: boolean;
  /** May take minutes: the memory for its body is released before the handler runs on. */
  mayTakeLong?: boolean;
  needs?: Needs<RequestContext<NoInfer<P>, NoInfer<Q>, NoInfer<B>>, R>;
  /** A POST that changes nothing. It ignores `Idempotency-Key`, because its result depends on the time of the call. */
  reads?: boolean;
  /** Selects among routes with the same method and path. The last one should accept every request. */
  when?: (request: SelectingRequest) => boolean;
  responses: Record<number, ResponseSpec>;
  /** Response headers by status. Those implied by the declaration, such as ETag, need not be listed. */
  headers?: Record<number, HeaderSpec[]>;
  /** Headers that the handler reads. Those implied by the declaration need not be listed. */
  requestHeaders?: HeaderSpec[];
  /** The handler uses `precondition` of the context (`If-Match`). */
  ifMatch?: boolean;
  /** Errors of the service that this operation may return. Those implied by the declaration need not be listed. */
  errors?: DeclaredError[];
  /** For a page among the operations of an API. Defaults to the table's. */
  errorFormat?: ErrorFormat;
  /**
   * The stored revision of the result: its ETag, compared with `If-Match`. Undefined for a partial representation, such
   * as a projection. Routes without it have no ETag.
   */
  etag?: (body: E, context: RequestContext<P, Q, B, R>) => number | undefined;
  /** Maps the result to what callers see. */
  show?: (body: E) => unknown;
  /** Path parameters that may hold a secret. The audit log omits them. */
  secretParams?: string[];
  /** Response fields that a repetition with the same idempotency key omits. */
  secrets?: string[];
  /**
   * For a repetition with the same idempotency key: reads one resource of the first response again, as the caller may
   * see it now, in the form that the handler or its page returns.
   * @throws 404
   */
  again?: (id: string, context: RequestContext<P, Q, B, R>) => Promise<unknown>;
  handler: (context: RequestContext<P, Q, B, R>) => Promise<RouteResponse<E>>;
}

/** The input of `when`. */
export interface SelectingRequest {
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  /** The media type that the caller prefers; the first one among equals. */
  accepts(types: string[]): string | false;
}

/** For `etag`. */
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
  /** Unknown paths below the base are a 404 in the table's error format. */
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

export const routes = (
  base: string,
  list: Route[],
  options: Pick<RouteTable, 'errorFormat' | 'ownsBase'> = {},
): RouteTable => ({
  base,
  routes: list,
  ...options,
});

/** What a handler receives: the validated input and the caller. */
export interface RequestContext<P = unknown, Q = unknown, B = unknown, R = unknown> {
  params: P;
  query: Q;
  body: B;
  /** Length of the body that was read. */
  bodyBytes: number;
  /** Set by a handler that read the body itself, for `digestBody`. */
  bodyDigest?: string;
  /** The result of `needs`. */
  resource: R;
  /** The caller and its permissions. Throws for routes with `auth: 'none'`. */
  access: Access;
  requestId: string;
  /** The revisions that `If-Match` permits. Stores check it as part of the write, which fails with a 412. */
  precondition: Precondition;
  /** Aborts when the caller disconnects before the response is complete. */
  signal: AbortSignal;
  log: Logger;
  /** For handlers that stream or read headers. */
  req: IncomingMessage;
  res: ServerResponse;
}

interface Input {
  params?: unknown;
  query?: unknown;
  body?: unknown;
  resource?: unknown;
}

/** A handler typed by its inputs and result: `Handler<{ params: IdParams; resource: File }, File>`. */
export type Handler<I extends Input = Input, E = unknown> = (
  context: RequestContext<I['params'], I['query'], I['body'], I['resource']>,
) => Promise<RouteResponse<E>>;

/**
 * Documents a permission that the use case checks, because it depends on stored data or on each entry. Checks nothing
 * itself; the permission matrix in the end-to-end tests proves each rule.
 */
export const documents = (rule: Declaration): Needs<{ access: Access }, undefined> => ({
  declares: rule,
  check: async () => undefined,
});
