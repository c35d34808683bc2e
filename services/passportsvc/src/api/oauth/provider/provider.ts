import { Provider } from 'oidc-provider';
import type { AccessTokens } from '../../../domain/oauth/access-tokens.js';
import type { FindApp } from '../../../domain/oauth/known-apps.js';
import { createAdapters } from './adapter.js';
import type { AdapterStores } from './adapter.js';
import { useAnswers } from './answers.js';
import { useApps } from './clients.js';
import { answerImplicit, IMPLICIT } from './implicit.js';
import { providerSettings } from './provider-settings.js';
import type { ProviderSettings } from './provider-settings.js';

export interface ProviderDeps extends Omit<ProviderSettings, 'adapter'> {
  issuer: string;
  findApp: FindApp;
  accessTokens: AccessTokens;
  stores: AdapterStores;
}

/**
 * The OAuth library, configured for the platform. It takes a browser through the sign-in to a code, and publishes keys and
 * metadata. The token endpoint is the platform's own.
 */
export function createProvider(deps: ProviderDeps): Provider {
  const provider = new Provider(deps.issuer, providerSettings({ ...deps, adapter: createAdapters(deps.stores) }));
  // The library derives URLs and cookie flags from the forwarding headers, which toLibraryRequest sets to the issuer.
  provider.proxy = true;
  useApps(provider, deps.findApp);
  useAnswers(provider, deps.algorithm);
  provider.registerResponseMode(IMPLICIT, answerImplicit(deps));
  return provider;
}
