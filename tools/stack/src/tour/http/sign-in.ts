import { randomBytes } from 'node:crypto';
import { signInAsBrowser } from './browser.js';
import { createCaller } from './caller.js';

export interface Application {
  baseUrl: string;
  appId: string;
  appSecret: string;
  redirectUri: string;
  signal?: AbortSignal;
}

/** The response of the token endpoint (docs/contract.md, "OAuth endpoints"). */
export interface Tokens {
  access_token: string;
  token_type: string;
  expires_in: number;
  user_name?: string;
}

/** The authorization code grant with a secret, performed by a browser and a server-side application. */
export async function signIn(app: Application, user: { email: string; password: string }): Promise<Tokens> {
  const code = await authorize(app, user);
  return requestToken(app, { grant_type: 'authorization_code', code, redirect_uri: app.redirectUri });
}

export const clientCredentials = (app: Application): Promise<Tokens> =>
  requestToken(app, { grant_type: 'client_credentials', scope: 'read write' });

async function requestToken(app: Application, parameters: Record<string, string>): Promise<Tokens> {
  const basic = Buffer.from(`${app.appId}:${app.appSecret}`).toString('base64');
  const { body } = await createCaller(app).call<Tokens>('POST', '/passportsvc/api/v1/oauth/token', {
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ ...parameters, client_id: app.appId }),
  });
  return body;
}

/** Performs the user's part of the grant and returns the code. */
async function authorize(app: Application, user: { email: string; password: string }): Promise<string> {
  const { appId: client_id, redirectUri: redirect_uri } = app;
  const state = randomBytes(8).toString('hex');
  const query = { response_type: 'code', client_id, redirect_uri, scope: 'read write', state };
  const url = new URL('/passportsvc/api/v1/oauth/authorize', app.baseUrl);
  url.search = new URLSearchParams(query).toString();

  const { searchParams } = await signInAsBrowser(url, user, app);
  const code = searchParams.get('code');
  if (code === null || searchParams.get('state') !== state)
    throw new Error(`${url.pathname} redirected without a code: ${searchParams.toString()}`);
  return code;
}
