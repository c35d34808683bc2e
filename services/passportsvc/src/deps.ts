import type { JWTVerifyGetKey } from 'jose';
import { newId } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { refuseTokens } from '@dtplatform/permissions';
import { createFoundation } from '@dtplatform/service';
import type { Foundation, Ports, ProcessContext } from '@dtplatform/service';
import { createOAuthProvider } from './api/oauth/provider/oauth-provider.js';
import type { OAuthProvider } from './api/oauth/provider/oauth-provider.js';
import { issuerOf } from './config.js';
import type { Config, MigrationConfig } from './config.js';
import { createApps } from './domain/apps/apps.js';
import type { Apps } from './domain/apps/apps.js';
import { bootstrap } from './domain/bootstrap/bootstrap.js';
import { deriveKeys } from './domain/keys/derived-keys.js';
import { createSigningKeys, createVerificationKeys } from './domain/keys/signing-keys.js';
import type { SigningKeys } from './domain/keys/signing-keys.js';
import { createAccessTokens } from './domain/oauth/access-tokens.js';
import { createKnownApps } from './domain/oauth/known-apps.js';
import { createKnownUsers } from './domain/oauth/known-users.js';
import { createSignIn } from './domain/oauth/sign-in.js';
import type { SignIn } from './domain/oauth/sign-in.js';
import { createTokens } from './domain/oauth/tokens.js';
import type { Tokens } from './domain/oauth/tokens.js';
import { createPasswords } from './domain/scim/passwords.js';
import { createUsers } from './domain/scim/users.js';
import type { Users } from './domain/scim/users.js';
import { createWorkspaces } from './domain/workspaces/workspaces.js';
import type { Workspaces } from './domain/workspaces/workspaces.js';
import { createAppStore } from './store/apps/app-store.js';
import { createBootstrapStore } from './store/bootstrap/bootstrap-store.js';
import { createSigningKeyStore } from './store/keys/signing-key-store.js';
import { createAuthorizationStore } from './store/oauth/authorization-store.js';
import { createBrowserStateStore } from './store/oauth/browser-state-store.js';
import { createOrganizationStore } from './store/organizations/organization-store.js';
import { schema } from './store/schema.js';
import { createUserStore } from './store/scim/user-store.js';
import { createWorkspaceStore } from './store/workspaces/workspace-store.js';

export interface Deps extends Foundation {
  config: Config;
  signingKeys: SigningKeys;
  oauthProvider: OAuthProvider;
  tokens: Tokens;
  signIn: SignIn;
  apps: Apps;
  workspaces: Workspaces;
  users: Users;
}

/** Constructs everything. Unlike other services, this one verifies access tokens with its own keys. */
export async function createDeps(config: Config, context: ProcessContext, ports: Ports = {}): Promise<Deps> {
  // The keys are in the database that the foundation connects to. The first token that needs them comes later.
  const own: { verificationKeys?: JWTVerifyGetKey } = {};
  const foundation = await createFoundation({ name: 'passportsvc', schema }, config, context, {
    ...ports,
    keys: (header, token) => own.verificationKeys!(header, token),
  });
  const { mongo, grants } = foundation;
  const { db } = mongo;
  const keys = deriveKeys(config.KEY_ENCRYPTION_KEY);
  const signingKeys = createSigningKeys({
    signingKeyStore: createSigningKeyStore(db),
    algorithm: config.TOKEN_ALG,
    encryptionKey: keys.signingKeys,
  });
  own.verificationKeys = createVerificationKeys(signingKeys);

  const appStore = createAppStore(db);
  const userStore = createUserStore(db);
  const organizationStore = createOrganizationStore(db);
  const passwords = createPasswords();
  const apps = createApps({ appStore, userStore, organizationStore, grants, newId, secretKey: keys.appSecrets });
  return {
    ...foundation,
    checks: { ...foundation.checks, signing_keys: signingKeys },
    config,
    signingKeys,
    ...oauthServer(config, foundation, { keys, signingKeys, appStore, userStore }),
    signIn: createSignIn({ userStore, appStore, passwords }),
    apps,
    workspaces: createWorkspaces({ workspaceStore: createWorkspaceStore(mongo), appStore, grants, newId }),
    users: createUsers({ userStore, apps, passwords, newId }),
  };
}

interface OAuthDeps {
  keys: ReturnType<typeof deriveKeys>;
  signingKeys: SigningKeys;
  appStore: ReturnType<typeof createAppStore>;
  userStore: ReturnType<typeof createUserStore>;
}

function oauthServer(
  config: Config,
  { mongo: { db }, redis }: Foundation,
  { keys, signingKeys, appStore, userStore }: OAuthDeps,
): Pick<Deps, 'oauthProvider' | 'tokens'> {
  const issuer = issuerOf(config.BASE_URL);
  const ttlSec = config.ACCESS_TOKEN_TTL_SEC;
  const authorizationStore = createAuthorizationStore(db);
  const shared = {
    signingKeys,
    accessTokens: createAccessTokens({ issuer, audience: config.BASE_URL, signingKeys, ttlSec }),
    findApp: createKnownApps(appStore),
    findUser: createKnownUsers(userStore),
  };
  return {
    oauthProvider: createOAuthProvider({
      ...shared,
      issuer,
      algorithm: config.TOKEN_ALG,
      cookieKey: keys.cookies,
      newId,
      stores: {
        sessions: createBrowserStateStore(db, 'oauth_sessions'),
        interactions: createBrowserStateStore(db, 'oauth_interactions'),
        authorizations: authorizationStore,
      },
    }),
    tokens: createTokens({
      ...shared,
      authorizationStore,
      appSecretKey: keys.appSecrets,
      refreshTokenKey: keys.refreshTokens,
      refreshTokenTtlSec: config.REFRESH_TOKEN_TTL_SEC,
      refuseTokens: (id) => refuseTokens(redis.client, 'grant', id, ttlSec),
    }),
  };
}

/** Creates what a new platform needs. @param announce reports generated secrets */
export const bootstrapDatabase = ({ db }: Mongo, config: MigrationConfig, announce: (text: string) => void) =>
  bootstrap({
    bootstrapStore: createBootstrapStore(db),
    signingKeyStore: createSigningKeyStore(db),
    newId,
    config,
    announce,
  });
