import { beforeAll, describe, expect, it } from '@jest/globals';
import * as client from 'openid-client';
import { signInAsBrowser } from '@dtplatform/stack/client';
import { type Account, createAccount } from './support/people.js';
import { dev, send } from './support/platform.js';

/** OAuth 2.0 with an independent client library. */
describe('OAuth with openid-client', () => {
  const issuer = new URL(`${dev.baseUrl}/passportsvc/api/v1/oauth`);
  const scope = 'read write';
  const redirect_uri = dev.redirectUri;
  let user: Account;

  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the local stack has no TLS
  const execute = [client.allowInsecureRequests];
  const discover = (authentication: client.ClientAuth, appId = dev.appId) =>
    client.discovery(issuer, appId, undefined, authentication, { execute });
  const withSecret = () => discover(client.ClientSecretBasic(dev.appSecret));

  /** Signs in and returns the redirect URL. */
  const authorize = (config: client.Configuration, parameters: Record<string, string> = {}) =>
    signInAsBrowser(client.buildAuthorizationUrl(config, { redirect_uri, scope, ...parameters }), user, dev);

  const signInWithSecret = async () => {
    const config = await withSecret();
    const state = client.randomState();
    const tokens = await client.authorizationCodeGrant(config, await authorize(config, { state }), {
      expectedState: state,
    });
    return { config, tokens };
  };
  const signInWithPkce = async () => {
    const config = await discover(client.None());
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const code_challenge = await client.calculatePKCECodeChallenge(pkceCodeVerifier);
    const back = await authorize(config, { code_challenge, code_challenge_method: 'S256' });
    return { config, back, pkceCodeVerifier };
  };
  const reads = async (token: string) => (await send('GET', '/passportsvc/api/v1/workspaces', { token })).status;
  const rejection = async (attempt: Promise<unknown>): Promise<client.ResponseBodyError> =>
    attempt.then(
      () => Promise.reject(new Error('it was not refused')),
      (error: unknown) => error as client.ResponseBodyError,
    );

  beforeAll(async () => {
    user = await createAccount();
  });

  it('finds the endpoints by discovery', async () => {
    const metadata = (await withSecret()).serverMetadata();
    expect(metadata.issuer).toBe(issuer.href);
    expect(metadata.code_challenge_methods_supported).toEqual(['S256']);
    expect(metadata.grant_types_supported).toEqual(
      expect.arrayContaining(['authorization_code', 'refresh_token', 'client_credentials']),
    );
  });

  it('signs a user in with a code and the secret', async () => {
    const { tokens } = await signInWithSecret();
    expect(tokens).toMatchObject({
      ...{ token_type: 'bearer', scope, user_name: user.id, app_id: dev.appId },
      ...{ expires_in: expect.any(Number), jti: expect.any(String), refresh_token: expect.any(String) },
    });
    expect(await reads(tokens.access_token)).toBe(200);
  });

  it('signs a user in with a code and PKCE, without a secret', async () => {
    const { config, back, pkceCodeVerifier } = await signInWithPkce();
    const tokens = await client.authorizationCodeGrant(config, back, { pkceCodeVerifier });
    expect(tokens.user_name).toBe(user.id);
    expect(await reads(tokens.access_token)).toBe(200);
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token!);
    expect(await reads(refreshed.access_token)).toBe(200);
  });

  describe('to an application of another organization', () => {
    const CONSENTS = '/passportsvc/api/v1/users/me/consents';
    const { appId, appSecret } = dev.second;
    const config = () => discover(client.ClientSecretBasic(appSecret), appId);
    const answer = async (decision: 'allow' | 'deny', state: string, account: Account = user) => {
      const url = client.buildAuthorizationUrl(await config(), { redirect_uri, scope, state });
      return signInAsBrowser(url, account, { ...dev, decision });
    };

    it('signs in users who consent, until they revoke it', async () => {
      const expectedState = client.randomState();
      const back = await answer('allow', expectedState);
      const tokens = await client.authorizationCodeGrant(await config(), back, { expectedState });
      expect(tokens.user_name).toBe(user.id);
      expect(await reads(tokens.access_token)).toBe(200);

      const token = (await signInWithSecret()).tokens.access_token;
      const listed = await send('GET', CONSENTS, { token });
      expect(listed).toMatchObject({ status: 200, body: { _total: 1, _list: [{ _appId: appId }] } });
      expect((await send('DELETE', `${CONSENTS}/${appId}`, { token })).status).toBe(204);
      expect(await reads(tokens.access_token)).toBe(401);
      const { error } = await rejection(client.refreshTokenGrant(await config(), tokens.refresh_token!));
      expect(error).toBe('invalid_grant');
    });

    it('reports to the application that the user does not consent', async () => {
      const expectedState = client.randomState();
      const back = await answer('deny', expectedState);
      const attempt = client.authorizationCodeGrant(await config(), back, { expectedState });
      expect((await rejection(attempt)).error).toBe('access_denied');
    });

    it('never gives it the permissions of an administrator', async () => {
      const state = client.randomState();
      const back = await answer('allow', state, { ...dev.admin, id: '' });
      const tokens = await client.authorizationCodeGrant(await config(), back, { expectedState: state });
      const json = { _name: 'mine', _appOwner: dev.admin.email, _redirectUris: redirect_uri, _orgId: dev.orgId };
      const created = await send('POST', '/passportsvc/api/v1/apps/', { token: tokens.access_token, json });
      expect(created.status).toBe(403);
    });
  });

  it('rejects a code with the wrong verifier', async () => {
    const { config, back } = await signInWithPkce();
    const wrong = { pkceCodeVerifier: client.randomPKCECodeVerifier() };
    const { error } = await rejection(client.authorizationCodeGrant(config, back, wrong));
    expect(error).toBe('invalid_grant');
  });

  it('rejects a code without a challenge from a client without a secret', async () => {
    const back = await authorize(await withSecret());
    const { error } = await rejection(client.authorizationCodeGrant(await discover(client.None()), back));
    expect(error).toMatch(/^invalid_(grant|client)$/);
  });

  it('rejects a code that was used before, and then revokes its tokens', async () => {
    const config = await withSecret();
    const back = await authorize(config);
    const tokens = await client.authorizationCodeGrant(config, back);
    expect((await rejection(client.authorizationCodeGrant(config, back))).error).toBe('invalid_grant');
    expect((await rejection(client.refreshTokenGrant(config, tokens.refresh_token!))).error).toBe('invalid_grant');
  });

  it('rotates refresh tokens, and revokes the grant when one is used twice', async () => {
    const { config, tokens } = await signInWithSecret();
    const second = await client.refreshTokenGrant(config, tokens.refresh_token!);
    expect(second.refresh_token).not.toBe(tokens.refresh_token);
    expect(await reads(second.access_token)).toBe(200);

    expect((await rejection(client.refreshTokenGrant(config, tokens.refresh_token!))).error).toBe('invalid_grant');
    expect((await rejection(client.refreshTokenGrant(config, second.refresh_token!))).error).toBe('invalid_grant');
    expect(await reads(second.access_token)).toBe(401);
  });

  it('issues an application its own token', async () => {
    const tokens = await client.clientCredentialsGrant(await withSecret(), { scope });
    expect(tokens).toMatchObject({ token_type: 'bearer', app_id: dev.appId });
    expect(tokens.refresh_token).toBeUndefined();
    const app = await send('GET', `/passportsvc/api/v1/apps/${dev.appId}`, { token: tokens.access_token });
    expect(app).toMatchObject({ status: 200, body: { _id: dev.appId } });
  });

  it('rejects a wrong secret', async () => {
    const config = await discover(client.ClientSecretBasic('not-the-secret-of-the-application'));
    const rejected = await rejection(client.clientCredentialsGrant(config, { scope }));
    // The scheme follows RFC 6749, section 5.2; the status docs/contract.md, "OAuth endpoints".
    expect(rejected).toMatchObject({ status: 403, cause: [{ scheme: 'basic' }] });
  });

  it('rejects a wrong password and shows the page again', async () => {
    const url = client.buildAuthorizationUrl(await withSecret(), { redirect_uri, scope });
    await expect(signInAsBrowser(url, { ...user, password: 'wrong' }, dev)).rejects.toThrow();
  });

  it('does not redirect to an unregistered URI', async () => {
    const url = client.buildAuthorizationUrl(await withSecret(), { redirect_uri: 'http://localhost:9/evil', scope });
    const response = await fetch(url, { redirect: 'manual' });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.headers.get('location')).toBeNull();
  });
});
