import { Provider } from 'oidc-provider';
import type { JWK } from 'jose';
import type { AppStore } from '../domain/ports.js';
import type { SigningAlgorithm } from '../domain/signing-keys.js';
import type { FindUserAccount } from './accounts.js';
import { createAdapters } from './adapter.js';
import type { AdapterStores } from './adapter.js';
import { answers, noteFailures } from './answers.js';
import { IMPLICIT } from './authorize-request.js';
import { useApps } from './clients.js';
import { AUTHORIZATION_CODE_PARAMETERS, authorizationCodeGrant } from './grants/authorization-code.js';
import { CLIENT_CREDENTIALS_PARAMETERS, clientCredentialsGrant } from './grants/client-credentials.js';
import type { GrantDeps } from './grants/grant-context.js';
import { REFRESH_TOKEN_PARAMETERS, refreshTokenGrant } from './grants/refresh-token.js';
import { answerImplicit } from './implicit.js';
import { PlatformKey } from './platform-key.js';
import { platformResource, providerSettings } from './provider-settings.js';

export interface ProviderDeps {
  issuer: string;
  baseUrl: string;
  keys: JWK[];
  algorithm: SigningAlgorithm;
  cookieKey: string;
  appSecretKey: Buffer;
  refreshTokenKey: Buffer;
  accessTokenTtlSec: number;
  refreshTokenTtlSec: number;
  apps: AppStore;
  findAccount: FindUserAccount;
  stores: AdapterStores;
  revoke: GrantDeps['revoke'];
}

/**
 * The OAuth library, set up for the platform. Its own grants are replaced: ours redeem a code or rotate a refresh token
 * in one step that is safe with many replicas, and let every app come with its secret or as a public client.
 */
export function createProvider(deps: ProviderDeps): Provider {
  const { baseUrl, algorithm, findAccount } = deps;
  const provider: Provider = new Provider(
    deps.issuer,
    providerSettings({
      ...deps,
      jwks: { keys: deps.keys.map((key) => new PlatformKey(key)) },
      adapter: createAdapters(deps.stores),
      clients: () => clients,
    }),
  );
  const clients = useApps(provider, { apps: deps.apps, secretKey: deps.appSecretKey });
  // URLs and the cookies' flags follow the issuer, which each request carries in its forwarding headers.
  provider.proxy = true;
  provider.use(answers(algorithm));
  noteFailures(provider);
  provider.registerResponseMode(IMPLICIT, answerImplicit);

  const grants: GrantDeps = {
    clients,
    findAccount,
    resource: new provider.ResourceServer(baseUrl, platformResource(baseUrl, algorithm)),
    authorizations: deps.stores.authorizations,
    revoke: deps.revoke,
    refreshTokenKey: deps.refreshTokenKey,
    refreshTokenTtlSec: deps.refreshTokenTtlSec,
  };
  provider.registerGrantType('authorization_code', authorizationCodeGrant(grants), AUTHORIZATION_CODE_PARAMETERS);
  provider.registerGrantType('refresh_token', refreshTokenGrant(grants), REFRESH_TOKEN_PARAMETERS);
  provider.registerGrantType('client_credentials', clientCredentialsGrant(grants), CLIENT_CREDENTIALS_PARAMETERS);
  return provider;
}
