import { isUnavailable } from '@dtplatform/errors';

export interface FetchedToken {
  token: string;
  lifetimeMs: number;
}

/** A token that is requested when it is needed, and again before it expires. */
export interface TokenSource {
  get(): Promise<string>;
  /** Forgets a token that was refused; the next call requests another one. */
  discard(token: string): void;
}

const REFRESH_BEFORE_MS = 60_000;
/** Pause after a failed refresh. Until then, calls use the current token instead of each waiting for another attempt. */
const RETRY_REFRESH_AFTER_MS = 5_000;

/**
 * Caches a token and refreshes it shortly before it expires; concurrent calls share one request. While the authorization
 * server is unavailable, the cached token stays in use until it expires.
 */
export function cachedToken(fetch: () => Promise<FetchedToken>): TokenSource {
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
