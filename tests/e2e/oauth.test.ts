import { beforeAll, describe, expect, it } from '@jest/globals';
import * as client from 'openid-client';
import { signInAsBrowser } from '@dtplatform/stack/client';
import { type Account, createAccount } from './support/people.js';
import { dev, send } from './support/platform.js';

/** OAuth 2.0 with an independent client library. */
describe('OAuth with openid-client', () => {
  const issuer = new URL(`${dev.baseUrl}/passportsvc/api/v1/oauth`);
  const scope = 'read write';
  let user: Account;

  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the local stack has no TLS
  const execute = [client.allowInsecureRequests];
  const discover = (authentication: client.ClientAuth) =>
    client.discovery(issuer, dev.appId, undefined, authentication, { execute });
  const reads = async (token: string) => (await send('GET', '/passportsvc/api/v1/workspaces', { token })).status;

  beforeAll(async () => {
    user = await createAccount();
  });

  it('signs a user in with a code and PKCE, without a secret, and refreshes the tokens', async () => {
    const config = await discover(client.None());
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const code_challenge = await client.calculatePKCECodeChallenge(pkceCodeVerifier);
    const pkce = { code_challenge, code_challenge_method: 'S256' };
    const url = client.buildAuthorizationUrl(config, { redirect_uri: dev.redirectUri, scope, ...pkce });
    const back = await signInAsBrowser(url, user, dev);
    const tokens = await client.authorizationCodeGrant(config, back, { pkceCodeVerifier });
    expect(tokens.user_name).toBe(user.id);
    expect(await reads(tokens.access_token)).toBe(200);
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token!);
    expect(await reads(refreshed.access_token)).toBe(200);
  });

  it('gets an application its own token, and understands the rejection of a wrong secret', async () => {
    const app = await discover(client.ClientSecretBasic(dev.appSecret));
    const tokens = await client.clientCredentialsGrant(app, { scope });
    expect(tokens).toMatchObject({ token_type: 'bearer', app_id: dev.appId });
    expect(tokens.refresh_token).toBeUndefined();
    const config = await discover(client.ClientSecretBasic('not-the-secret-of-the-application'));
    // The scheme follows RFC 6749, section 5.2; the status docs/contract.md, "OAuth endpoints".
    const rejected = client.clientCredentialsGrant(config, { scope });
    await expect(rejected).rejects.toMatchObject({ status: 403, cause: [{ scheme: 'basic' }] });
  });
});
