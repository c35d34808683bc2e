import { createHash } from 'node:crypto';
import { TOKEN_EXCHANGE } from '../src/oauth/token/token-exchange.js';
import { createBrowser } from './browser.js';
import { REDIRECT_URI } from './start-app.js';
import type { TestApp } from './start-app.js';

export const OAUTH_V1 = '/passportsvc/api/v1/oauth';
export const OAUTH_V2 = '/passportsvc/api/v2/oauth';

export type Form = Record<string, string>;
interface Credentials {
  id: string;
  secret: string;
}

export const s256 = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

const partOf = (token: string, index: number) =>
  JSON.parse(Buffer.from(token.split('.')[index]!, 'base64url').toString()) as Record<string, unknown>;
/** The claims of a token, unverified, or of an `Authorization` header. */
export const claimsOf = (token: string) => partOf(token, 1);
export const headerOf = (token: string) => partOf(token, 0);

/** The authorize endpoint with its required parameters; `more` overrides them. */
export function authorizeUrl(app: Pick<TestApp, 'url' | 'trusted'>, more: Form = {}, version = OAUTH_V1): URL {
  const url = new URL(`${app.url}${version}/authorize`);
  const parameters = {
    response_type: 'code',
    client_id: app.trusted.id,
    redirect_uri: REDIRECT_URI,
    scope: 'read write',
    ...more,
  };
  url.search = new URLSearchParams(parameters).toString();
  return url;
}

/** A code; checks no password if the browser is signed in. */
export async function codeFor(
  app: TestApp,
  more: Form = {},
  browser = createBrowser(),
  user = app.admin,
): Promise<string> {
  const back = await browser.signIn(authorizeUrl(app, more), user, REDIRECT_URI);
  const code = back.searchParams.get('code');
  if (!code) throw new Error(`no code in ${back.href}`);
  return code;
}

/** Signs a browser in without returning to the app. @returns where to continue */
export async function startSignIn(app: TestApp, browser: ReturnType<typeof createBrowser>, user = app.admin) {
  const { url } = await browser.open(authorizeUrl(app), REDIRECT_URI);
  const response = await browser.post(url, { username: user.userName, password: user.password });
  const location = response.headers.get('location');
  if (response.status !== 303 || location === null) throw new Error(`no sign-in at ${url.href}: ${response.status}`);
  return new URL(location, url);
}

/** A form request to the token endpoint with credentials in the header. */
export function requestToken(app: Pick<TestApp, 'api'>, form: Form, credentials?: Credentials, version = OAUTH_V1) {
  const request = app.api.post(`${version}/token`).type('form');
  if (credentials) request.auth(credentials.id, credentials.secret);
  return request.send(form);
}

export const redeem = (
  app: Pick<TestApp, 'api'>,
  code: string,
  more: Form = {},
  credentials?: Credentials,
  version = OAUTH_V1,
) =>
  requestToken(
    app,
    { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, ...more },
    credentials,
    version,
  );

type Redeemer = Pick<TestApp, 'api'> & { trusted?: Credentials };

export const refreshWith = (app: Redeemer, token: string, by = app.trusted, version = OAUTH_V1) =>
  requestToken(app, { grant_type: 'refresh_token', refresh_token: token }, by, version);

/** The `Authorization` header of an app. */
export async function asApp(app: TestApp, credentials: Credentials = app.trusted): Promise<string> {
  const response = await requestToken(app, { grant_type: 'client_credentials' }, credentials).expect(200);
  return `Bearer ${response.body.access_token as string}`;
}

/** What a user calls with: the `Authorization` header and the refresh token that an app receives. */
export async function tokensFor(app: TestApp, user = app.admin, browser = createBrowser(), by = app.trusted) {
  const code = await codeFor(app, { client_id: by.id }, browser, user);
  const { body } = await redeem(app, code, {}, by).expect(200);
  return { access: `Bearer ${body.access_token as string}`, refresh: body.refresh_token as string };
}

/** The `Authorization` header of a token that the trusted app holds for a user (RFC 8693). Needs no password. */
export async function actingFor(app: TestApp, userId: string): Promise<string> {
  const exchange = { grant_type: TOKEN_EXCHANGE, subject: userId, subject_type: 'user' };
  const response = await requestToken(app, exchange, app.trusted, OAUTH_V2).expect(200);
  return `Bearer ${response.body.access_token as string}`;
}

/** The `Authorization` header of an app's user. */
export const asUser = async (app: TestApp, user = app.admin, by: Credentials = app.trusted): Promise<string> =>
  (await tokensFor(app, user, createBrowser(), by)).access;

/** Calls with a token of any caller that sees the trusted app. */
export const readSelf = (app: Pick<TestApp, 'api' | 'trusted'>, authorization: string) =>
  app.api.get(`/passportsvc/api/v1/apps/${app.trusted.id}`).set({ authorization });
