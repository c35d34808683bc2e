import type { Auth } from './auth/auth.js';
import { errorOfReply } from './error-reply.js';
import { ApiError, DtplatformError, NetworkError, NoPlatformError, TimeoutError } from './errors.js';
import { messageOf } from './message-of.js';
import { isTemporary, withRetries } from './retry.js';

export interface TransportOptions {
  /** Undefined for calls without a token. */
  auth?: Auth;
  fetch?: typeof globalThis.fetch;
  /** Time limit of one attempt. */
  timeoutMs: number;
  retries: number;
}

/** A request, with the properties that determine whether it is retried. */
export interface Request {
  method: string;
  /** A POST that changes nothing. */
  reads?: boolean;
  url: string;
  headers?: Record<string, string>;
  body?: RequestInit['body'];
  signal?: AbortSignal;
  timeoutMs?: number;
  retries?: number;
}

const IDEMPOTENT = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'];

/**
 * Sends requests with a token, a time limit and retries. Throws for every response other than 2xx.
 * @param read reads the response within the time limit
 */
export async function send<T>(
  request: Request,
  options: TransportOptions,
  read: (response: Response) => Promise<T> | T,
): Promise<T> {
  const { signal, retries = options.retries } = request;
  const mayRepeat = (error: unknown) => isTemporary(error) && isSafe(request, error);
  return withRetries(() => sendWithToken(request, options, read), { retries, mayRepeat, signal });
}

/**
 * Whether a retry cannot apply the change twice. A change with `If-Match` and an unknown outcome would be rejected the
 * second time even if the first succeeded. Some files of a form with several may be stored already: repeating it would
 * create second versions.
 */
function isSafe({ method, reads, headers = {}, body }: Request, error: unknown): boolean {
  if (reads) return true;
  if (body instanceof FormData && [...body.values()].filter((value) => value instanceof Blob).length > 1) return false;
  const sent = new Headers(headers);
  if (sent.has('Idempotency-Key')) return true;
  const isRefused = error instanceof ApiError && [429, 503].includes(error.status);
  const isConditional = sent.has('If-Match') && method !== 'GET';
  return IDEMPOTENT.includes(method) && (isRefused || !isConditional);
}

/** Replaces a rejected token once. A 401 means that the call had no effect. */
async function sendWithToken<T>(
  request: Request,
  options: TransportOptions,
  read: (response: Response) => Promise<T> | T,
): Promise<T> {
  const { auth } = options;
  if (!auth) return attempt(request, options, read);
  const { signal } = request;
  const token = await auth.token({ signal });
  try {
    return await attempt(withToken(request, token), options, read);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    const next = await auth.token({ rejected: token, signal });
    if (next === token) throw error;
    return await attempt(withToken(request, next), options, read);
  }
}

const withToken = (request: Request, token: string): Request => ({
  ...request,
  headers: { ...request.headers, Authorization: `Bearer ${token}` },
});

async function attempt<T>(
  request: Request,
  options: TransportOptions,
  read: (response: Response) => Promise<T> | T,
): Promise<T> {
  const { method, url, headers, body, signal, timeoutMs = options.timeoutMs } = request;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  const signals = AbortSignal.any(signal ? [limit.signal, signal] : [limit.signal]);
  try {
    const send = options.fetch ?? fetch;
    const response = await send(url, { method, headers, body, signal: signals });
    reached.add(hostOf(url));
    if (!response.ok) throw await errorOfReply(response, method);
    return await read(response);
  } catch (error) {
    signal?.throwIfAborted();
    if (limit.signal.aborted) throw new TimeoutError(`${hostOf(url)} did not respond within ${timeoutMs / 1000} s.`);
    if (error instanceof DtplatformError) throw error;
    throw networkErrorOf(url, error);
  } finally {
    clearTimeout(timer);
  }
}

/** Hosts that have responded: their address is right, so they may respond again. */
const reached = new Set<string>();

/** Node.js's codes for a name or port that nothing listens at. */
const NOBODY = ['ECONNREFUSED', 'ENOTFOUND'];

function networkErrorOf(url: string, error: unknown): NetworkError {
  const [host, options] = [hostOf(url), { cause: error }];
  const reason = `${host} cannot be reached: ${messageOf(error)}`;
  const { code = '' } = ((error as Error).cause ?? {}) as { code?: string };
  if (!reached.has(host) && NOBODY.includes(code)) return new NoPlatformError(originOf(url), reason, options);
  return new NetworkError(reason, options);
}

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : url);
const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url);
