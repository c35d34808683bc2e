import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createLogger } from '@dtplatform/logging';
import { createBrowser } from './browser.js';
import { REDIRECT_URI, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { authorizeUrl, OAUTH_V1, OAUTH_V2, redeem, requestToken, s256 } from './tokens.js';

const VERIFIER = 'a-verifier-that-nobody-else-may-read-0123456789';
const PASSWORD = 'a-wrong-password-that-is-almost-right';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

let app: TestApp;
const lines: string[] = [];

beforeAll(async () => {
  const stream = { write: (line: string) => void lines.push(line) };
  app = await startApp({}, createLogger({ service: 'passportsvc', level: 'trace', stream }));
});
afterAll(() => app.stop());

it('logs no secret of any flow, whether it succeeds or fails', async () => {
  const basic = Buffer.from(`${app.trusted.id}:${app.trusted.secret}`).toString('base64');
  const secrets = [app.trusted.secret, app.admin.password, VERIFIER, PASSWORD, basic];

  const browser = createBrowser();
  const pkce = { code_challenge: s256(VERIFIER), code_challenge_method: 'S256', state: 'a-state-of-the-app' };
  const first = await browser.get(authorizeUrl(app, pkce));
  await browser.post(first.headers.get('location')!, { username: app.admin.userName, password: PASSWORD });
  const back = await browser.signIn(authorizeUrl(app, pkce), app.admin, REDIRECT_URI);
  const code = back.searchParams.get('code')!;
  // The sign-in id is part of the page's path; it is useless without the signature in the other cookie.
  const cookies = [...browser.cookies.values()].filter(({ name }) => !name.startsWith('dtp_signin'));
  secrets.push(code, ...cookies.map(({ value }) => value));

  const verifier = { client_id: app.trusted.id, code_verifier: VERIFIER };
  const { body } = await redeem(app, code, verifier).expect(200);
  secrets.push(body.access_token, body.refresh_token);
  await redeem(app, code, { ...verifier, redirect_uri: 'https://elsewhere.test/' }).expect(403);
  const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token as string };
  const token = `${OAUTH_V1}/token`;
  const asPublic = { ...refresh, client_id: app.trusted.id };
  const refreshed = await app.api.get(token).query(asPublic).expect(200);
  secrets.push(refreshed.body.refresh_token, refreshed.body.access_token);
  const withSecret = { ...refresh, client_secret: app.trusted.secret };
  await app.api.post(token).query(withSecret).expect(403);
  await requestToken(app, refresh, app.trusted, OAUTH_V2).expect(400);
  const exchange = { grant_type: EXCHANGE, subject_token: refreshed.body.access_token as string };
  await requestToken(app, exchange, app.trusted).expect(403);
  await app.api.get(`/passportsvc/api/v1/logout?id_token_hint=${body.access_token as string}`).expect(200);

  const inviteToken = randomBytes(32).toString('base64url');
  secrets.push(inviteToken);
  const invite = `/passportsvc/api/v1/invites/${inviteToken}`;
  await app.api.get(invite).expect(404);
  await app.api.post(invite).type('form').send('decision=accept').expect(404);
  await app.api.get(`/passportsvc/api/v1/account/sign-in?invite=${inviteToken}`).expect(200);

  const replica = await app.startInstance();
  await replica.deps.mongo.close();
  await requestToken(replica, { ...refresh, code }, app.trusted).expect(503);

  const text = lines.join('');
  expect(text).toContain('"operation":"signin.submit"');
  expect(text).toContain('"level":"error"');
  for (const secret of secrets.flatMap((one) => [one, encodeURIComponent(one)])) expect(text).not.toContain(secret);
});
