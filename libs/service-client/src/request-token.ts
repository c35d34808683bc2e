import { request } from 'undici';
import { z } from 'zod';
import type { FetchedToken } from './cached-token.js';
import { callHeaders } from './call-headers.js';
import { withRetries } from './with-retries.js';

/** Where a service requests tokens, and its credentials. */
export interface TokenClient {
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
}

/** The authorization server refused a request. */
export class TokenRefused extends Error {
  /** @param code the `error` of RFC 6749, section 5.2, such as `invalid_grant` */
  constructor(readonly code: string) {
    super(`the authorization server refused: ${code}`);
    this.name = 'TokenRefused';
  }
}

const TokenReply = z.object({ access_token: z.string(), expires_in: z.number() });
const Refusal = z.object({ error: z.string() });

const TIMEOUT_MS = 5_000;

/** Requests a token with a form. @throws TokenRefused, or any other error when there was no proper answer */
export const requestToken = (client: TokenClient, form: Record<string, string>): Promise<FetchedToken> =>
  withRetries(() => attempt(client, form), { idempotent: true, withinMs: TIMEOUT_MS });

async function attempt({ tokenUrl, clientId, clientSecret }: TokenClient, form: Record<string, string>) {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const reply = await request(tokenUrl, {
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
  const body = await reply.body.json();
  const refusal = reply.statusCode < 500 ? Refusal.safeParse(body) : undefined;
  if (refusal?.success) throw new TokenRefused(refusal.data.error);
  const { access_token: token, expires_in } = TokenReply.parse(body);
  return { token, lifetimeMs: expires_in * 1000 };
}
