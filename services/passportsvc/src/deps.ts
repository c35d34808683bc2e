import { newId } from '@dtplatform/mongo';
import { refuseTokens } from '@dtplatform/permissions';
import { createFoundation } from '@dtplatform/service';
import type { Foundation, Ports, ProcessContext } from '@dtplatform/service';
import { issuerOf } from './config.js';
import type { Config } from './config.js';
import { createApps } from './domain/apps.js';
import type { Apps } from './domain/apps.js';
import { deriveKeys } from './domain/derived-keys.js';
import { createPasswords } from './domain/passwords.js';
import type { AppStore } from './domain/ports.js';
import { createSignIn } from './domain/sign-in.js';
import type { SignIn } from './domain/sign-in.js';
import { createUsers } from './domain/users.js';
import type { Users } from './domain/users.js';
import { createWorkspaces } from './domain/workspaces.js';
import type { Workspaces } from './domain/workspaces.js';
import { createKnownApps } from './oauth/known-apps.js';
import { createKnownUsers } from './oauth/known-users.js';
import { createOAuthServer } from './oauth/server.js';
import type { OAuthServer } from './oauth/server.js';
import { createAppStore } from './store/app-store.js';
import { createAuthorizationStore } from './store/authorization-store.js';
import { createOAuthStateStore } from './store/oauth-state-store.js';
import { createOrganizationStore } from './store/organization-store.js';
import { createSigningKeyStore } from './store/signing-key-store.js';
import { createUserStore } from './store/user-store.js';
import { createWorkspaceStore } from './store/workspace-store.js';
import { schema } from './store/schema.js';

export interface Deps extends Foundation {
  config: Config;
  oauth: OAuthServer;
  signIn: SignIn;
  apps: AppStore;
  appUseCases: Apps;
  workspaceUseCases: Workspaces;
  userUseCases: Users;
}

/** Constructs everything. Unlike other services, this one has the keys of access tokens itself. */
export async function createDeps(config: Config, context: ProcessContext, ports: Ports = {}): Promise<Deps> {
  // The keys are in the database that the foundation connects to; they are asked for with the first token.
  const server: { oauth?: OAuthServer } = {};
  const foundation = await createFoundation({ name: 'passportsvc', schema }, config, context, {
    ...ports,
    keys: (header, token) => server.oauth!.keys(header, token),
  });
  const oauth = oauthServer(config, foundation);
  server.oauth = oauth;

  const { mongo, grants } = foundation;
  const passwords = createPasswords();
  const users = createUserStore(mongo.db);
  const apps = createAppStore(mongo.db);
  const secretKey = deriveKeys(config.KEY_ENCRYPTION_KEY).appSecrets;
  const organizations = createOrganizationStore(mongo.db);
  const appUseCases = createApps({ apps, users, organizations, grants, newId, secretKey });
  return {
    ...foundation,
    checks: { ...foundation.checks, signing_keys: () => oauth.ready() },
    config,
    oauth,
    signIn: createSignIn({ users, passwords }),
    apps,
    appUseCases,
    workspaceUseCases: createWorkspaces({ workspaces: createWorkspaceStore(mongo), apps, grants, newId }),
    userUseCases: createUsers({ users, apps: appUseCases, passwords, newId }),
  };
}

function oauthServer(config: Config, { mongo, redis }: Foundation): OAuthServer {
  const { db } = mongo;
  const keys = deriveKeys(config.KEY_ENCRYPTION_KEY);
  const authorizations = createAuthorizationStore(db);
  return createOAuthServer({
    issuer: issuerOf(config.BASE_URL),
    baseUrl: config.BASE_URL,
    algorithm: config.TOKEN_ALG,
    keyStore: createSigningKeyStore(db),
    keyEncryptionKey: keys.signingKeys,
    cookieKey: keys.cookies,
    appSecretKey: keys.appSecrets,
    refreshTokenKey: keys.refreshTokens,
    accessTokenTtlSec: config.ACCESS_TOKEN_TTL_SEC,
    refreshTokenTtlSec: config.REFRESH_TOKEN_TTL_SEC,
    findApp: createKnownApps(createAppStore(db)),
    findUser: createKnownUsers(createUserStore(db)),
    stores: {
      sessions: createOAuthStateStore(db, 'oauth_sessions'),
      interactions: createOAuthStateStore(db, 'oauth_interactions'),
      authorizations,
    },
    // Marked first: should Redis be away, the authorization is still there and can be ended again. And once more after
    // that, for a token that was issued in between.
    async revoke(id) {
      await refuseTokens(redis.client, 'grant', id, config.ACCESS_TOKEN_TTL_SEC);
      await authorizations.remove(id);
      await refuseTokens(redis.client, 'grant', id, config.ACCESS_TOKEN_TTL_SEC);
    },
  });
}
