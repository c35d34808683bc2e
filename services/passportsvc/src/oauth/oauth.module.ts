import { newId } from '@dtplatform/mongo';
import { audienceOf } from '@dtplatform/service';
import { issuerOf } from '../config.js';
import type { Config } from '../config.js';
import type { Stores } from '../stores.js';
import { createOAuthProvider } from './authorize/oauth-provider.http.js';
import type { openKeys } from './keys/keys.module.js';
import { createAccessTokens } from './token/access-tokens.js';
import type { GrantDeps } from './token/grant.js';
import { createTokens } from './token/tokens.js';

interface Sources extends Pick<GrantDeps, 'consents' | 'findApp' | 'findUser' | 'openToken'> {
  config: Config;
  stores: Stores;
  keys: ReturnType<typeof openKeys>;
  /** Refuses all access tokens of these authorizations. */
  refuseTokens: (authorizationIds: string[]) => Promise<void>;
}

/** The authorization server: oidc-provider signs a browser in, the domain issues the tokens. */
export function createOAuth({ config, stores, keys, openToken, refuseTokens, ...known }: Sources) {
  const { signingKeys, keyring } = keys;
  const { authorizationStore, interactionStore, profileStore, sessionStore } = stores;
  const issuer = issuerOf(config.BASE_URL);
  const ttlSec = config.ACCESS_TOKEN_TTL_SEC;
  const accessTokens = createAccessTokens({ issuer, audience: audienceOf(config), signingKeys, ttlSec });
  return {
    oauthProvider: createOAuthProvider({
      ...known,
      signingKeys,
      accessTokens,
      issuer,
      cookieKey: () => keyring.loaded().cookies,
      newId,
      stores: { sessions: sessionStore, interactions: interactionStore, authorizations: authorizationStore },
    }),
    tokens: createTokens({
      ...known,
      signingKeys,
      accessTokens,
      authorizationStore,
      openToken,
      findProfile: (id) => profileStore.find(id),
      refuseTokens,
      appSecretKey: () => keyring.loaded().appSecrets,
      refreshTokenKey: () => keyring.loaded().refreshTokens,
      refreshTokenTtlSec: config.REFRESH_TOKEN_TTL_SEC,
    }),
  };
}
