import { beforeAll, describe, expect, it } from '@jest/globals';
import * as client from 'openid-client';
import { signInAsBrowser } from '@dtplatform/stack/client';
import { type Account, createAccount } from './support/people.js';
import { dev, send } from './support/platform.js';
import { must } from './support/resources.js';

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
  const authorize = (config: client.Configuration, parameters: Record<string, string>, more: object = {}) => {
    const url = client.buildAuthorizationUrl(config, { redirect_uri, scope, ...parameters });
    return signInAsBrowser(url, user, { ...dev, ...more });
  };
  const signInWithSecret = async (config: client.Configuration, more: object = {}) => {
    const state = client.randomState();
    const back = await authorize(config, { state }, more);
    return client.authorizationCodeGrant(config, back, { expectedState: state });
  };
  const signInWithPkce = async () => {
    const config = await discover(client.None());
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const code_challenge = await client.calculatePKCECodeChallenge(pkceCodeVerifier);
    const back = await authorize(config, { code_challenge, code_challenge_method: 'S256' });
    return { config, back, pkceCodeVerifier };
  };
  const reads = async (token: string) => (await send('GET', '/passportsvc/api/v1/workspaces', { token })).status;

  beforeAll(async () => {
    user = await createAccount();
  });

  it('signs a user in with a code and the secret', async () => {
    const tokens = await signInWithSecret(await withSecret());
    expect(tokens).toMatchObject({
      ...{ token_type: 'bearer', scope, user_name: user.id, app_id: dev.appId },
      ...{ expires_in: expect.any(Number), jti: expect.any(String), refresh_token: expect.any(String) },
    });
    expect(await reads(tokens.access_token)).toBe(200);
  });

  it('signs a user in with a code and PKCE, without a secret, and refreshes the tokens', async () => {
    const { config, back, pkceCodeVerifier } = await signInWithPkce();
    const tokens = await client.authorizationCodeGrant(config, back, { pkceCodeVerifier });
    expect(tokens.user_name).toBe(user.id);
    expect(await reads(tokens.access_token)).toBe(200);
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token!);
    expect(await reads(refreshed.access_token)).toBe(200);
  });

  it('signs users in to an application of another organization if they consent', async () => {
    const { appId, appSecret } = dev.second;
    const config = await discover(client.ClientSecretBasic(appSecret), appId);
    const tokens = await signInWithSecret(config, { decision: 'allow' });
    expect([tokens.user_name, await reads(tokens.access_token)]).toEqual([user.id, 200]);
    const { access_token: token } = await signInWithSecret(await withSecret());
    await must(204, 'DELETE', `/passportsvc/api/v1/users/me/consents/${appId}`, { token });
    const denied = signInWithSecret(config, { decision: 'deny' });
    await expect(denied).rejects.toMatchObject({ error: 'access_denied' });
  });

  it('gets an application its own token, and understands the rejection of a wrong secret', async () => {
    const tokens = await client.clientCredentialsGrant(await withSecret(), { scope });
    expect(tokens).toMatchObject({ token_type: 'bearer', app_id: dev.appId });
    expect(tokens.refresh_token).toBeUndefined();
    const config = await discover(client.ClientSecretBasic('not-the-secret-of-the-application'));
    // The scheme follows RFC 6749, section 5.2; the status docs/contract.md, "OAuth endpoints".
    const rejected = client.clientCredentialsGrant(config, { scope });
    await expect(rejected).rejects.toMatchObject({ status: 403, cause: [{ scheme: 'basic' }] });
  });
});
