import { z } from 'zod';
import type { Egress, EgressAnswer } from '@dtplatform/egress';
import { DeliveryFailed } from './delivery.js';

export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export interface ServerCredentials {
  tokenUrl: string;
  clientId?: string;
  clientSecret?: string;
}

const TokenResponse = z.object({
  access_token: z
    .string()
    .max(16 * 1024)
    .regex(/^[\x21-\x7e]+$/),
  expires_in: z.coerce.number().min(0).max(Number.MAX_SAFE_INTEGER).default(60),
});
const REFRESH_BEFORE_MS = 30_000;
/** How servers reject a client: RFC 6749 has 400 and 401; some servers use 403. */
const REFUSALS = [400, 401, 403];

/**
 * The token for calls to a server (client credentials with the scope `scim`), renewed on expiry. Sends credentials in
 * the header, or in the body if the server rejects the header (RFC 6749, section 2.3.1).
 */
export function createServerToken({ tokenUrl, clientId, clientSecret = '' }: ServerCredentials, egress: Egress) {
  let kept: { token: string; refreshAtMs: number } | undefined;
  let requesting: Promise<string> | undefined;
  let inBody = false;

  // A repeated parameter makes a request invalid (RFC 6749, section 3.2).
  const inQuery = new URL(tokenUrl).searchParams;
  const send = (signal: AbortSignal): Promise<EgressAnswer> => {
    const isBasic = clientId !== undefined && !inBody && !inQuery.has('client_secret');
    const form = {
      grant_type: 'client_credentials',
      scope: 'scim',
      ...(clientId !== undefined && inBody && { client_id: clientId, client_secret: clientSecret }),
    };
    return egress.request({
      url: tokenUrl,
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        ...(isBasic && { authorization: basic(clientId, clientSecret) }),
      },
      body: new URLSearchParams(Object.entries(form).filter(([name]) => !inQuery.has(name))).toString(),
      signal,
    });
  };

  async function request(signal: AbortSignal): Promise<string> {
    let response = await send(signal);
    if (clientId !== undefined && REFUSALS.includes(response.status)) {
      inBody = !inBody;
      response = await send(signal);
    }
    if (response.status !== 200) throw failed(`the token endpoint responded with ${response.status}`);
    const parsed = TokenResponse.safeParse(parsedJson(response.body));
    if (!parsed.success) throw failed('the token endpoint responded without a valid access_token');
    const { access_token: token, expires_in } = parsed.data;
    const lifetimeMs = expires_in * 1000;
    kept = { token, refreshAtMs: Date.now() + lifetimeMs - Math.min(REFRESH_BEFORE_MS, lifetimeMs / 10) };
    return token;
  }

  return {
    /** @throws DeliveryFailed, and the errors of `egress.request` */
    async get(signal: AbortSignal): Promise<string> {
      if (kept && kept.refreshAtMs > Date.now()) return kept.token;
      return (requesting ??= request(signal).finally(() => (requesting = undefined)));
    },
    discard(token: string): void {
      if (kept?.token === token) kept = undefined;
    },
  };
}

const failed = (message: string) => new DeliveryFailed(message, { concernsServer: true });

/** Both parts are form-encoded (RFC 6749, section 2.3.1). */
const basic = (clientId: string, clientSecret: string) =>
  `Basic ${Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64')}`;
const formEncoded = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
