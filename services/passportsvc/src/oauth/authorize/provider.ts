import type { JWK } from 'jose';
import { Provider } from 'oidc-provider';
import type { SigningAlgorithm } from '../../domain/signing-keys.js';
import type { FindApp } from '../known-apps.js';
import type { FindUser } from '../known-users.js';
import type { AccessTokens } from '../token/access-tokens.js';
import { createAdapters } from './adapter.js';
import type { AdapterStores } from './adapter.js';
import { useAnswers } from './answers.js';
import { useApps } from './clients.js';
import { answerImplicit, IMPLICIT } from './implicit.js';
import { providerSettings } from './provider-settings.js';

export interface ProviderDeps {
  issuer: string;
  keys: JWK[];
  algorithm: SigningAlgorithm;
  cookieKey: string;
  findApp: FindApp;
  findUser: FindUser;
  accessTokens: AccessTokens;
  stores: AdapterStores;
}

/**
 * The OAuth library, set up for the platform. It leads a browser through the sign-in to a code, and publishes keys and
 * metadata. The token endpoint is the platform's own.
 */
export function createProvider(deps: ProviderDeps): Provider {
  const settings = providerSettings({
    ...deps,
    jwks: { keys: deps.keys },
    adapter: createAdapters(deps.stores),
  });
  const provider = new Provider(deps.issuer, settings);
  // URLs and the cookies' flags follow the issuer, which each request carries in its forwarding headers.
  provider.proxy = true;
  useApps(provider, deps.findApp);
  useAnswers(provider, deps.algorithm);
  provider.registerResponseMode(IMPLICIT, answerImplicit(deps));
  return provider;
}
