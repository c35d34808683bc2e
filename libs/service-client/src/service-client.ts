import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import type { z } from 'zod';
import { AppError, commonErrors } from '@dtplatform/errors';
import { SpanKind, withSpan } from '@dtplatform/telemetry';
import { callHeaders, withRetries } from './calls.js';
import type { TokenSource } from './tokens.js';

export interface ServiceCall {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  /** Path below the service's base URL, such as `/filesvc/api/v1/files`. */
  path: string;
  query?: Record<string, string | number | boolean | string[]>;
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Whether the call may be repeated. Defaults to the method's semantics in HTTP. */
  idempotent?: boolean;
  /** Calls on behalf of this token's caller instead of as the service itself. */
  token?: string;
  /** Calls on behalf of another subject, with a token from this source. */
  as?: TokenSource;
  signal?: AbortSignal;
}

export interface ServiceClient {
  /**
   * Calls and validates the JSON response.
   * @throws ServiceCallError when the other service rejects the call; a 401 or 429 AppError when it rejects the caller
   * whose token was passed; a 503 AppError when it is unavailable or its response is invalid
   */
  call<S extends z.ZodType>(call: ServiceCall, response: S): Promise<z.infer<S>>;
  /** Calls and returns the headers and the body as a stream, which the caller must read or destroy. */
  stream(call: ServiceCall): Promise<{ body: Readable; headers: Record<string, string | string[] | undefined> }>;
  close(): Promise<void>;
}

const MAX_ERROR_BYTES = 64 * 1024;
/** Statuses below 500 after which the same call may succeed. */
const TEMPORARY = new Set([408, 425, 429]);
const IDEMPOTENT = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

/**
 * A client of another service, with keep-alive connections. Retries failed connections within `timeoutMs` where that is
 * safe.
 * @param token provides the service's own token, for each attempt of a call without one
 */
export function createServiceClient(options: {
  baseUrl: string;
  token?: TokenSource;
  timeoutMs?: number;
}): ServiceClient {
  const timeoutMs = options.timeoutMs ?? 10_000;
  const { hostname } = new URL(options.baseUrl);
  const agent = new Agent({ connect: { timeout: 2000 }, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });

  async function send(call: ServiceCall) {
    const source = call.as ?? (call.token === undefined ? options.token : undefined);
    if (source === undefined) return sendWith(call.token, call);
    const token = await source.get();
    try {
      return await sendWith(token, call);
    } catch (error) {
      if (!isUnauthorized(error)) throw error;
    }
    // The token was revoked, or its issuer was renamed. Fails again if its subject is no longer active.
    source.discard(token);
    return sendWith(await source.get(), call).catch((error: unknown) => {
      throw isUnauthorized(error) ? commonErrors.unavailable({ cause: error }) : error;
    });
  }

  async function sendWith(token: string | undefined, call: ServiceCall) {
    const headers: Record<string, string> = { ...callHeaders(), ...call.headers };
    if (token) headers.authorization = `Bearer ${token}`;
    if (call.body !== undefined) headers['content-type'] = 'application/json';
    const response = await request(url(options.baseUrl, call), {
      method: call.method ?? 'GET',
      headers,
      body: call.body === undefined ? undefined : JSON.stringify(call.body),
      signal: call.signal,
      dispatcher: agent,
    });
    if (response.statusCode < 400) return response;
    throw rejectionOf(new ServiceCallError(response.statusCode, await errorText(response.body)), call);
  }

  async function attempt<T>(call: ServiceCall, work: () => Promise<T>): Promise<T> {
    const { signal, idempotent = IDEMPOTENT.has(call.method ?? 'GET') } = call;
    try {
      return await withRetries(() => traced(call, work), { idempotent, withinMs: timeoutMs, signal });
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof ServiceCallError || error instanceof AppError) throw error;
      throw commonErrors.unavailable({ cause: error });
    }
  }

  /** Each attempt has its own span. */
  function traced<T>({ method = 'GET', path }: ServiceCall, work: () => Promise<T>): Promise<T> {
    const attributes = { 'http.request.method': method, 'server.address': hostname, 'url.path': path };
    return withSpan(`${method} /${path.split('/')[1]}`, work, { kind: SpanKind.CLIENT, attributes });
  }

  return {
    async call(call, schema) {
      const value = await attempt(call, async () => {
        const response = await send(call);
        return readJson(response.body, response.statusCode);
      });
      const parsed = schema.safeParse(value);
      if (!parsed.success) throw commonErrors.unavailable({ cause: parsed.error });
      return parsed.data;
    },
    async stream(call) {
      const { body, headers } = await attempt(call, () => send(call));
      return { body, headers };
    },
    close: () => agent.close(),
  };
}

/**
 * The error for a status of 400 or above. A 401 or 429 for the caller's own token is passed on; temporary statuses
 * become `unavailable`; the calling code handles the rest.
 */
function rejectionOf(error: ServiceCallError, { token }: ServiceCall): Error {
  const { status } = error;
  if (token !== undefined && status === 401) return commonErrors.unauthorized({ tokenSent: true, cause: error });
  if (token !== undefined && status === 429) return commonErrors.tooManyRequests();
  return status >= 500 || TEMPORARY.has(status) ? commonErrors.unavailable({ cause: error }) : error;
}

const isUnauthorized = (error: unknown) => error instanceof ServiceCallError && error.status === 401;

function url(baseUrl: string, { path, query = {} }: ServiceCall): URL {
  const target = new URL(baseUrl + path);
  for (const [name, value] of Object.entries(query)) {
    target.searchParams.set(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  return target;
}

async function readJson(body: { text(): Promise<string> }, status: number): Promise<unknown> {
  const text = await body.text();
  return status === 204 || text === '' ? undefined : JSON.parse(text);
}

async function errorText(body: Readable): Promise<string> {
  let text = '';
  try {
    for await (const chunk of body) if (text.length < MAX_ERROR_BYTES) text += String(chunk);
  } catch {
    // Only the status matters.
  }
  return text;
}

/** Another service rejected a call with a 4xx. The calling code decides what that means for its own caller. */
export class ServiceCallError extends Error {
  /** 400 or above. */
  readonly status: number;
  /** The `code` of an error in the platform's format. */
  readonly code: string | undefined;
  /** The response body, possibly truncated. */
  readonly body: string;

  constructor(status: number, body: string) {
    super(`another service responded with ${status}`);
    this.name = 'ServiceCallError';
    this.status = status;
    this.code = codeOf(body);
    this.body = body;
  }
}

function codeOf(body: string): string | undefined {
  try {
    const { code } = JSON.parse(body) as { code?: unknown };
    return typeof code === 'string' ? code : undefined;
  } catch {
    return undefined;
  }
}
