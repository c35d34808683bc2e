import { request } from 'undici';
import { z } from 'zod';
import { commonErrors, defineErrors, isUnavailable } from '@dtplatform/errors';
import { callHeaders, withRetries } from './calls.js';

interface FetchedToken {
  token: string;
  lifetimeMs: number;
}

/** A token that is requested when needed and again before it expires. */
export interface TokenSource {
  get(): Promise<string>;
  /** Drops a rejected token; the next call requests another one. */
  discard(token: string): void;
}

const REFRESH_BEFORE_MS = 60_000;
/** Pause after a failed refresh. Until then, calls use the current token instead of waiting for another attempt. */
const RETRY_REFRESH_AFTER_MS = 5_000;

/**
 * Caches a token and refreshes it shortly before it expires; concurrent calls share one request. While the
 * authorization server is unavailable, the token stays in use until it expires.
 */
function cachedToken(fetch: () => Promise<FetchedToken>): TokenSource {
  let kept: { token: string; refreshAtMs: number; expiresAtMs: number } | undefined;
  let fetching: Promise<string> | undefined;

  async function refresh(): Promise<string> {
    try {
      const { token, lifetimeMs } = await fetch();
      const expiresAtMs = Date.now() + lifetimeMs;
      kept = { token, expiresAtMs, refreshAtMs: expiresAtMs - Math.min(REFRESH_BEFORE_MS, lifetimeMs / 2) };
      return token;
    } finally {
      fetching = undefined;
    }
  }

  return {
    async get() {
      if (kept && kept.refreshAtMs > Date.now()) return kept.token;
      try {
        return await (fetching ??= refresh());
      } catch (error) {
        if (!kept || kept.expiresAtMs <= Date.now() || !isUnavailable(error)) throw error;
        kept.refreshAtMs = Math.min(Date.now() + RETRY_REFRESH_AFTER_MS, kept.expiresAtMs);
        return kept.token;
      }
    },
    discard(token) {
      if (kept?.token === token) kept = undefined;
    },
  };
}

/** The token endpoint, and the service's credentials. */
interface TokenClient {
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
}

/** The authorization server rejected a request. */
class TokenRejected extends Error {
  /** @param code the `error` of RFC 6749, section 5.2, such as `invalid_grant` */
  constructor(readonly code: string) {
    super(`the authorization server rejected the request: ${code}`);
    this.name = 'TokenRejected';
  }
}

const TokenResponse = z.object({ access_token: z.string(), expires_in: z.number() });
const Rejection = z.object({ error: z.string() });

const TIMEOUT_MS = 5_000;

/** Requests a token with a form. @throws TokenRejected, or another error if there is no valid response */
const requestToken = (client: TokenClient, form: Record<string, string>): Promise<FetchedToken> =>
  withRetries(() => attempt(client, form), { idempotent: true, withinMs: TIMEOUT_MS });

async function attempt({ tokenUrl, clientId, clientSecret }: TokenClient, form: Record<string, string>) {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const response = await request(tokenUrl, {
    method: 'POST',
    headers: {
      ...callHeaders(),
      authorization: `Basic ${basic}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams(form).toString(),
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  const body = await response.body.json();
  const rejection = response.statusCode < 500 ? Rejection.safeParse(body) : undefined;
  if (rejection?.success) throw new TokenRejected(rejection.data.error);
  const { access_token: token, expires_in } = TokenResponse.parse(body);
  return { token, lifetimeMs: expires_in * 1000 };
}

/**
 * The service's own token, from the client credentials grant (RFC 6749, section 4.4), cached and refreshed before it
 * expires. Rejects with a 503 AppError when the cached token has expired and the authorization server is unavailable or
 * rejects the request.
 */
export const clientCredentials = (client: TokenClient): TokenSource =>
  cachedToken(() =>
    requestToken(client, { grant_type: 'client_credentials' }).catch((error: unknown) => {
      throw commonErrors.unavailable({ cause: error });
    }),
  );

/** The subject a service acts for. */
export interface TokenSubject {
  id: string;
  /** Optional: the authorization server determines it if missing. */
  type?: 'user' | 'app' | 'permprofile';
}

/** Why there is no token for a subject. */
export const exchangeErrors = defineErrors({
  subjectInactive: {
    status: 403,
    message: 'The user or application that started this is no longer active.',
    remedy: 'Have an active user start it again.',
  },
  profileDeleted: {
    status: 403,
    message: 'The required permission profile no longer exists.',
    remedy: 'Give the orchestrator another permission profile.',
  },
});

/**
 * Tokens with which this service acts for a subject (RFC 8693): they have the subject's permissions and last five
 * minutes. Keep the source for the duration of the work and pass it to calls as `as`. Rejects with a 403 AppError when
 * the subject is inactive or was deleted, and with a 503 AppError while the authorization server is unavailable.
 */
export const tokenExchange =
  (client: TokenClient) =>
  ({ id, type }: TokenSubject): TokenSource =>
    cachedToken(async () => {
      const grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange';
      try {
        return await requestToken(client, { grant_type, subject: id, ...(type && { subject_type: type }) });
      } catch (error) {
        if (error instanceof TokenRejected && error.code === 'invalid_grant') {
          throw type === 'permprofile'
            ? exchangeErrors.profileDeleted({ cause: error })
            : exchangeErrors.subjectInactive({ cause: error });
        }
        throw commonErrors.unavailable({ cause: error });
      }
    });
