import { createHash, randomBytes } from 'node:crypto';
import { signInAsBrowser } from '@dtplatform/stack/client';
import type { Dispatcher } from 'undici';

export interface CodeEndpoints {
  authorizeUrl: string;
  tokenUrl: string;
  clientId: string;
  redirectUri: string;
}

interface Tokens {
  access_token?: string;
  refresh_token?: string;
}

/** Signs a user in with a browser and returns its cookies. */
export async function sessionCookie(
  { authorizeUrl, clientId, redirectUri }: CodeEndpoints,
  user: { email: string; password: string },
): Promise<string> {
  const url = new URL(authorizeUrl);
  url.search = new URLSearchParams({
    ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope: 'read write', state: 'bench' },
    ...{ code_challenge: 'A'.repeat(43), code_challenge_method: 'S256' },
  }).toString();
  const cookies = new Map<string, string>();
  await signInAsBrowser(url, user, { redirectUri, cookies });
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}

/** Opens an application as a signed-in user: a code with PKCE, its tokens, and one refresh. */
export function createCodeFlow(
  { authorizeUrl, tokenUrl, clientId, redirectUri, cookie }: CodeEndpoints & { cookie: string },
  pool: Pick<Dispatcher, 'request'>,
): () => Promise<void> {
  async function codeFor(verifier: string): Promise<string> {
    const query = new URLSearchParams({
      ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope: 'read write', state: 'bench' },
      ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
    });
    const { pathname, origin } = new URL(authorizeUrl);
    const { headers, body } = await pool.request({
      ...{ origin, method: 'GET', path: `${pathname}?${query.toString()}`, headers: { cookie } },
    });
    await body.dump();
    const location = String(headers.location);
    const code = new URL(location, authorizeUrl).searchParams.get('code');
    if (code === null) throw new Error(`${pathname} redirected to ${location}`);
    return code;
  }

  async function tokensFor(parameters: Record<string, string>): Promise<Tokens> {
    const { pathname, origin } = new URL(tokenUrl);
    const { statusCode, body } = await pool.request({
      ...{ origin, method: 'POST', path: pathname },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...parameters, client_id: clientId }).toString(),
    });
    const tokens = (await body.json()) as Tokens;
    if (statusCode !== 200) throw new Error(`${parameters.grant_type}: ${statusCode} ${JSON.stringify(tokens)}`);
    return tokens;
  }

  return async () => {
    const verifier = randomBytes(32).toString('base64url');
    const code = await codeFor(verifier);
    const proof = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
    const { refresh_token = '' } = await tokensFor(proof);
    const refreshed = await tokensFor({ grant_type: 'refresh_token', refresh_token });
    if (!refreshed.access_token || !refreshed.refresh_token) throw new Error('a refresh gave no new tokens');
  };
}
