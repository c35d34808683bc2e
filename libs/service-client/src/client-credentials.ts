import { request } from 'undici';
import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { callHeaders } from './call-headers.js';
import { withRetries } from './with-retries.js';

const TokenReply = z.object({ access_token: z.string(), expires_in: z.number() });

const REFRESH_BEFORE_MS = 60_000;
const TIMEOUT_MS = 5_000;
/** Pause after a failed refresh. Until then, calls use the current token instead of each waiting for another attempt. */
const RETRY_REFRESH_AFTER_MS = 5_000;

/**
 * The service's own token, from the client credentials grant (RFC 6749, section 4.4). It is cached and refreshed shortly
 * before it expires; concurrent calls share one request.
 * @throws a 503 AppError when the authorization server is unavailable or refuses, and the cached token has expired
 */
export function clientCredentials(options: {
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
}): () => Promise<string> {
  let kept: { token: string; refreshAtMs: number; expiresAtMs: number } | undefined;
  let fetching: Promise<string> | undefined;

  async function refresh(): Promise<string> {
    try {
      kept = await fetchToken(options);
      return kept.token;
    } finally {
      fetching = undefined;
    }
  }

  return async () => {
    if (kept && kept.refreshAtMs > Date.now()) return kept.token;
    try {
      return await (fetching ??= refresh());
    } catch (error) {
      if (!kept || kept.expiresAtMs <= Date.now()) throw error;
      kept.refreshAtMs = Math.min(Date.now() + RETRY_REFRESH_AFTER_MS, kept.expiresAtMs);
      return kept.token;
    }
  };
}

async function fetchToken(options: { tokenUrl: string; clientId: string; clientSecret: string }) {
  try {
    const { access_token: token, expires_in } = await withRetries(() => requestToken(options), {
      idempotent: true,
      withinMs: TIMEOUT_MS,
    });
    const lifetimeMs = expires_in * 1000;
    const expiresAtMs = Date.now() + lifetimeMs;
    return { token, expiresAtMs, refreshAtMs: expiresAtMs - Math.min(REFRESH_BEFORE_MS, lifetimeMs / 2) };
  } catch (error) {
    throw commonErrors.unavailable({ cause: error });
  }
}

async function requestToken({ tokenUrl, clientId, clientSecret }: Parameters<typeof fetchToken>[0]) {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const reply = await request(tokenUrl, {
    method: 'POST',
    headers: {
      ...callHeaders(),
      authorization: `Basic ${basic}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  return TokenReply.parse(await reply.body.json());
}
