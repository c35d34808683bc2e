import { request } from 'undici';
import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';

const TokenReply = z.object({ access_token: z.string(), expires_in: z.number() });

const REFRESH_BEFORE_MS = 60_000;

/**
 * The service's own token, from the client credentials grant (RFC 6749, section 4.4). It is kept and asked for again
 * shortly before it expires; calls at the same time share one request.
 * @throws a 503 AppError while the authorization server is away or refuses
 */
export function clientCredentials(options: {
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
}): () => Promise<string> {
  let kept: { token: string; refreshAtMs: number } | undefined;
  let fetching: Promise<string> | undefined;

  async function refresh(): Promise<string> {
    try {
      kept = await fetchToken(options);
      return kept.token;
    } finally {
      fetching = undefined;
    }
  }

  return async () => (kept && kept.refreshAtMs > Date.now() ? kept.token : await (fetching ??= refresh()));
}

async function fetchToken(options: { tokenUrl: string; clientId: string; clientSecret: string }) {
  const basic = Buffer.from(`${options.clientId}:${options.clientSecret}`).toString('base64');
  try {
    const reply = await request(options.tokenUrl, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
      headersTimeout: 5000,
      bodyTimeout: 5000,
    });
    const { access_token, expires_in } = TokenReply.parse(await reply.body.json());
    const lifetimeMs = expires_in * 1000;
    return { token: access_token, refreshAtMs: Date.now() + lifetimeMs - Math.min(REFRESH_BEFORE_MS, lifetimeMs / 2) };
  } catch (error) {
    throw commonErrors.unavailable({ cause: error });
  }
}
