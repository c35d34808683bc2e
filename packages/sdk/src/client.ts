import { asAuth } from './auth/auth.js';
import type { Auth, TokenSource } from './auth/auth.js';
import { baseOf, urlWithin } from './base-url.js';
import { refusePage } from './error-reply.js';
import { randomText } from './random-text.js';
import { encodeBody, fillPath, queryOf, routeOf } from './request.js';
import type { Route } from './request.js';
import { send } from './transport.js';
import type { Request, TransportOptions } from './transport.js';
import type { CallOptions, InputArguments, OperationId, Output, Reply } from './types.js';

const TIMEOUT_MS = 30_000;
const RETRIES = 4;

export interface ClientOptions {
  /** The platform's URL: `https://twins.example.com`. */
  baseUrl: string;
  /** A session, the credentials of an app, a token, or a function that returns one. */
  auth?: Auth | TokenSource;
  /** The namespace of calls, and the only one that lists cover, unless the call names another. */
  namespace?: string;
  /** Whether unknown parameters and fields are errors; by default the platform ignores them. */
  strict?: boolean;
  /** Time limit of one attempt. Default 30 seconds. */
  timeoutMs?: number;
  /** Number of retries of calls that are safe to repeat. Default 4. */
  retries?: number;
  fetch?: typeof globalThis.fetch;
}

export interface Client {
  readonly baseUrl: string;
  readonly namespace?: string;
  /** What authorizes each call. */
  readonly auth?: Auth;
  /** Calls an operation and returns the response body. @throws ApiError, NetworkError, TimeoutError, SignedOutError */
  call<O extends OperationId>(operation: O, ...input: InputArguments<O>): Promise<Output<O>>;
  /** Calls an operation and returns the response with status and headers. */
  send<O extends OperationId>(operation: O, ...input: InputArguments<O>): Promise<Reply<Output<O>>>;
  /** Opens a URL of the platform with the client's token. The time limit ends with the response headers. */
  open(path: string, request?: Partial<Omit<Request, 'url'>>): Promise<Response>;
  url<O extends OperationId>(operation: O, ...input: InputArguments<O>): string;
  /** The same client in another namespace. */
  in(namespace: string): Client;
}

interface AnyInput extends CallOptions {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  headers?: Record<string, string | number | undefined>;
  body?: unknown;
}

/** @throws TypeError for a base URL that is not an http(s) URL */
export function createClient(options: ClientOptions): Client {
  const baseUrl = baseOf(options.baseUrl);
  const auth = options.auth === undefined ? undefined : asAuth(options.auth);
  const { namespace, timeoutMs = TIMEOUT_MS, retries = RETRIES } = options;
  const transport: TransportOptions = { auth, timeoutMs, retries, fetch: options.fetch };

  function requestOf(operation: OperationId, { body, ...input }: AnyInput = {}): Request {
    const route = routeOf(operation);
    const { signal, timeoutMs, retries } = input;
    const encoded = encodeBody(body);
    return {
      ...{ signal, timeoutMs, retries, method: route.method, reads: route.reads, body: encoded.body },
      url: baseUrl + fillPath(route, input.path) + queryOf(withNamespace(route, input.query, namespace)),
      headers: {
        ...(options.strict && { Prefer: 'handling=strict' }),
        ...headersOf(route, input, encoded.contentType),
      },
    };
  }

  return {
    ...{ baseUrl, namespace, auth },
    call: async (operation, ...[input]) => (await send(requestOf(operation, input), transport, replyOf)).body as never,
    send: (operation, ...[input]) => send(requestOf(operation, input), transport, replyOf) as never,
    open: async (path, request) =>
      send({ method: 'GET', ...request, url: urlWithin(baseUrl, path) }, transport, (response) => response),
    url: (operation, ...[input]) => requestOf(operation, input).url,
    in: (other) => createClient({ ...options, namespace: other }),
  };
}

function withNamespace(route: Route, query: AnyInput['query'] = {}, ofClient?: string) {
  const { operation, namespaceParameter: name, namespaceFilter: filter } = route;
  const namespace = (name === undefined ? undefined : query[name]) ?? ofClient;
  if (name !== undefined && namespace === undefined)
    throw new TypeError(`${operation} requires a namespace: pass query.${name}, or set one on the client.`);
  return {
    ...query,
    ...(name !== undefined && { [name]: namespace }),
    // A client without a namespace lists all of them.
    ...(filter !== undefined && ofClient !== undefined && { [filter]: query[filter] ?? namespace }),
  };
}

function headersOf(route: Route, { headers = {}, idempotencyKey }: AnyInput, contentType?: string) {
  const key = route.takesKey ? (idempotencyKey ?? randomText()) : undefined;
  const all = { 'Content-Type': contentType, 'Idempotency-Key': key, ...headers };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

async function replyOf(response: Response): Promise<Reply<unknown>> {
  const { status, headers } = response;
  return { status, headers, body: await bodyOf(response) };
}

async function bodyOf(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (/[/+]json\b/.test(type)) return response.json();
  refusePage(response);
  const blob = await response.blob();
  return blob.size === 0 && type === '' ? undefined : blob;
}
