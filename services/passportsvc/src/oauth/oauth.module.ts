import type { Lifecycle } from '@dtplatform/lifecycle';
import type { Logger } from '@dtplatform/logging';
import { newId } from '@dtplatform/mongo';
import { audienceOf, resource } from '@dtplatform/runtime';
import type { ProcessContext, ServiceDeps } from '@dtplatform/runtime';
import { issuerOf } from '../config.js';
import type { Config } from '../config.js';
import type { Audit } from '../directory/audit/audit.js';
import { NEW_PASSWORD_PATH } from '../pages/paths.js';
import type { Passwords } from '../scim/users/passwords.js';
import type { Stores } from '../stores.js';
import type { AccountParts } from './account/account.handler.js';
import { createAccount } from './account/account.js';
import type { EndAccess } from './account/account.js';
import { accountPageRoutes } from './account/account.routes.js';
import { interactionModel, sessionModel } from './authorize/browser-states.store.js';
import { createOAuthProvider } from './authorize/oauth-provider.http.js';
import { consentPageRoutes } from './consents/consent-page.routes.js';
import { consentRoutes } from './consents/consents.routes.js';
import { consentModel } from './consents/consents.store.js';
import type { openKeys } from './keys/keys.module.js';
import { logoutRoutes } from './logout/logout.routes.js';
import type { FindSignOutTarget } from './logout/sign-out-target.js';
import { oauthRoutes, oauthRoutesV2, wellKnownRoutes } from './oauth.routes.js';
import { passwordResetRoutes } from './password-reset/password-reset.routes.js';
import { createPasswordResets } from './password-reset/password-resets.js';
import type { PasswordResets } from './password-reset/password-resets.js';
import { passwordResetModel } from './password-reset/password-resets.store.js';
import { createAttemptCounters } from './signin/attempts.store.js';
import { createSignIn, createSignInLimits } from './signin/sign-in.js';
import { sessionRoutes } from './sessions/sessions.routes.js';
import type { Sessions } from './sessions/sessions.js';
import { signInRoutes } from './signin/signin.routes.js';
import { createAccessTokens } from './token/access-tokens.js';
import { authorizationModel } from './token/authorizations.store.js';
import type { GrantDeps } from './token/grant.js';
import { tokenRejectionModel } from './token/token-rejections.store.js';
import { createTokens } from './token/tokens.js';
import type { Tokens } from './token/tokens.js';

interface Api extends AccountParts {
  tokens: Tokens;
  findSignOutTarget: FindSignOutTarget;
  passwordResets: PasswordResets;
  sessions: Sessions;
}

export const oauth = resource({
  tags: {
    signin: 'The page on which users sign in to an app.',
    consent: 'The page on which users allow an app of another organization to act for them.',
    oauth: 'The OAuth 2.0 server: authorization, tokens, keys and metadata.',
    signout: 'The page on which users sign out in a browser.',
    account: 'The page on which users see and end their sessions and consents, and change their password.',
    passwordReset: 'The pages on which users set a new password with a link from an email.',
    consents: 'Consents of users to apps of other organizations.',
    sessions: 'Where users are signed in, for those who manage users.',
  },
  models: [authorizationModel, consentModel, sessionModel, interactionModel, passwordResetModel, tokenRejectionModel],
  routes: (parts: Api) => [
    signInRoutes(parts),
    consentPageRoutes(parts),
    oauthRoutes(parts),
    logoutRoutes(parts),
    accountPageRoutes(parts),
    passwordResetRoutes(parts),
    consentRoutes(parts),
    sessionRoutes(parts),
  ],
});

/** Routes at other prefixes: version 2, and the issuer's metadata. */
export const oauthMounts = (parts: Pick<Api, 'oauthProvider' | 'tokens'>) => [
  { prefix: '/passportsvc/api/v2', tables: [oauthRoutesV2(parts)] },
  { prefix: '/.well-known', tables: [wellKnownRoutes(parts)] },
];

interface ServerSources extends Pick<GrantDeps, 'consents' | 'findApp' | 'findUser' | 'openToken'> {
  config: Config;
  stores: Stores;
  keys: ReturnType<typeof openKeys>;
  /** Rejects all access tokens of these authorizations. */
  refuseTokens: (authorizationIds: string[]) => Promise<void>;
}

/** The authorization server: oidc-provider signs a browser in, the use cases issue the tokens. */
export function createOAuth({ config, stores, keys, openToken, refuseTokens, ...known }: ServerSources) {
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

interface AccountSources {
  stores: Stores;
  audit: Pick<Audit, 'ofAccount'>;
  redis: ServiceDeps['redis'];
  passwords: Passwords;
  endAccess: EndAccess;
  baseUrl: string;
  context: ProcessContext;
}

export function createAccountUseCases({
  stores,
  audit,
  redis,
  passwords,
  endAccess,
  baseUrl,
  context,
}: AccountSources) {
  const counters = createAttemptCounters(redis.client);
  const signIn = createSignIn({ ...stores, audit, passwords, limits: createSignInLimits(counters) });
  return {
    signIn,
    account: createAccount({ ...stores, signIn, passwords, endAccess }),
    passwordResets: createPasswordResets({
      ...stores,
      audit,
      passwords,
      counters,
      endAccess,
      linkTo: (token) => `${baseUrl}${NEW_PASSWORD_PATH}?token=${token}`,
      inBackground: createBackground(context),
    }),
  };
}

/** Runs work outside of requests. The process waits for it before it exits; failures are logged. */
function createBackground({ log, lifecycle }: { log: Logger; lifecycle: Lifecycle }) {
  const running = new Set<Promise<void>>();
  lifecycle.onStop('background work', () => Promise.all(running));

  return (work: () => Promise<void>): void => {
    const run = work()
      .catch((error: unknown) => log.error({ err: error }, 'background work failed'))
      .finally(() => running.delete(run));
    running.add(run);
  };
}
