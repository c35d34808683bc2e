import { newId } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { acceptNewTokens } from '@dtplatform/permissions';
import { createAccess, openBackends } from '@dtplatform/service';
import type { AccessSources, ProcessContext, ServiceDeps } from '@dtplatform/service';
import type { OAuthProvider } from './api/oauth/provider/oauth-provider.js';
import { createFormTokens } from './api/pages/form-tokens.js';
import type { FormTokens } from './api/pages/form-tokens.js';
import { issuerOf } from './config.js';
import type { Account } from './domain/account/account.js';
import type { Config, MigrationConfig } from './config.js';
import { createApps } from './domain/apps/apps.js';
import type { Apps } from './domain/apps/apps.js';
import { bootstrap } from './domain/bootstrap/bootstrap.js';
import { createVerificationKeys } from './domain/keys/signing-keys.js';
import type { SigningKeys } from './domain/keys/signing-keys.js';
import { createConsents } from './domain/consents/consents.js';
import type { Consents } from './domain/consents/consents.js';
import type { AsyncTasks } from './domain/asynctasks/async-tasks.js';
import { createDeletions } from './domain/deletions/deletions.js';
import type { Deletions } from './domain/deletions/deletions.js';
import type { NotificationTemplates } from './domain/notification-templates/notification-templates.js';
import type { PermissionActions } from './domain/permission-actions/permission-actions.js';
import { createEndAuthorizations } from './domain/oauth/end-authorizations.js';
import { createKnownApps } from './domain/oauth/known-apps.js';
import { createKnownUsers } from './domain/oauth/known-users.js';
import { createSignInLimits } from './domain/oauth/sign-in-limits.js';
import { createSignIn } from './domain/oauth/sign-in.js';
import type { SignIn } from './domain/oauth/sign-in.js';
import { createSignOutTargets } from './domain/oauth/sign-out-target.js';
import type { FindSignOutTarget } from './domain/oauth/sign-out-target.js';
import type { Tokens } from './domain/oauth/tokens.js';
import type { Deliveries } from './domain/scim-delivery/deliveries.js';
import type { ScimServers } from './domain/scim-delivery/scim-servers.js';
import { createOrganizations } from './domain/organizations/organizations.js';
import type { Organizations } from './domain/organizations/organizations.js';
import type { PasswordResets } from './domain/password-reset/password-resets.js';
import { createPasswords } from './domain/scim/passwords.js';
import { createUserAccess } from './domain/scim/user-access.js';
import type { UserAccess } from './domain/scim/user-access.js';
import { createUsers } from './domain/scim/users.js';
import type { Users } from './domain/scim/users.js';
import { createWorkspaces } from './domain/workspaces/workspaces.js';
import type { Workspaces } from './domain/workspaces/workspaces.js';
import { createBootstrapStore } from './store/bootstrap/bootstrap-store.js';
import { createAttemptCounters } from './store/oauth/attempt-counters.js';
import { createKeys, openKeys } from './open-keys.js';
import { schema } from './store/schema.js';
import {
  createOAuth,
  createGroupUseCases,
  createScimRegistration,
  messageDeps,
  accountDeps,
  createStores,
  createRefusals,
} from './use-cases.js';
import type { GroupUseCases } from './use-cases.js';

export interface Deps extends ServiceDeps, GroupUseCases {
  config: Config;
  signingKeys: SigningKeys;
  oauthProvider: OAuthProvider;
  tokens: Tokens;
  signIn: SignIn;
  findSignOutTarget: FindSignOutTarget;
  /** Tokens of the forms on pages. */
  formTokens: FormTokens;
  account: Account;
  passwordResets: PasswordResets;
  consents: Consents;
  /** What follows when an app or workspace is deleted. */
  deletions: Deletions;
  apps: Apps;
  organizations: Organizations;
  workspaces: Workspaces;
  users: Users;
  scimServers: ScimServers;
  deliveries: Deliveries;
  notificationTemplates: NotificationTemplates;
  permissionActions: PermissionActions;
  asyncTasks: AsyncTasks;
  userAccess: UserAccess;
}

/** Constructs everything. Unlike other services, this one verifies access tokens with its own keys. */
export async function createDeps(
  config: Config,
  context: ProcessContext,
  ports: Pick<AccessSources, 'grants'> = {},
): Promise<Deps> {
  const backends = await openBackends({ name: 'passportsvc', schema }, config, context);
  const { mongo, redis } = backends;
  const stores = createStores(mongo);
  const { appStore, authorizationStore, organizationStore, userStore, workspaceStore } = stores;

  const { sealer, keyring, signingKeys } = openKeys(mongo, config, context);
  const verificationKeys = createVerificationKeys(signingKeys);
  const { grants, authenticate, openToken } = createAccess(backends, config, { ...ports, keys: verificationKeys });

  const issuer = issuerOf(config.BASE_URL);
  const ttlSec = config.ACCESS_TOKEN_TTL_SEC;
  const findApp = createKnownApps(appStore);
  const findUser = createKnownUsers(userStore);
  const refusals = createRefusals(redis.client, ttlSec);
  const endAuthorizations = createEndAuthorizations({ authorizationStore, refuseTokens: refusals.ofGrants });
  const consents = createConsents({ ...stores, findApp, findUser, endAuthorizations });
  const groupUseCases = createGroupUseCases({ mongo, ...stores, grants }, config.BASE_URL);
  const userAccess = createUserAccess({
    ...stores,
    refuseTokensOf: refusals.ofUser,
    acceptNewTokensOf: (userId) => acceptNewTokens(redis.client, userId),
    endAuthorizations,
    leaveGroups: (userId) => groupUseCases.members.removeEverywhere(userId),
    newId,
  });
  const { oauthProvider, tokens } = createOAuth({
    ...{ mongo, config, signingKeys, keyring, findApp, findUser, consents, authorizationStore },
    sessions: stores.sessionStore,
    openToken: async (token) => (await openToken(token)).principal,
    refuseTokens: refusals.ofGrants,
  });

  const passwords = createPasswords();
  const counters = createAttemptCounters(redis.client);
  const signInLimits = createSignInLimits(counters);
  const signIn = createSignIn({ userStore, appStore, passwords, limits: signInLimits });
  const formTokens = createFormTokens(() => keyring.loaded().forms);
  const deletions = createDeletions({ ...stores, grants });
  const apps = createApps({
    ...stores,
    grants,
    deletions,
    newId,
    secretKey: () => keyring.loaded().appSecrets,
    refuseTokens: refusals.ofApp,
  });
  return {
    ...backends,
    checks: { ...backends.checks, signing_keys: signingKeys },
    authenticate,
    config,
    signingKeys,
    oauthProvider,
    tokens,
    signIn,
    findSignOutTarget: createSignOutTargets({ findApp, issuer, keys: verificationKeys }),
    formTokens,
    ...accountDeps({ mongo, userStore, signIn, passwords, counters, endAuthorizations }, config, context),
    consents,
    deletions,
    apps,
    organizations: createOrganizations({ organizationStore, newId }),
    workspaces: createWorkspaces({ workspaceStore, grants, deletions, newId }),
    ...groupUseCases,
    users: createUsers({ userStore, apps, passwords, userAccess, newId }),
    userAccess,
    ...createScimRegistration(config, backends, sealer),
    ...messageDeps(backends, appStore, config),
  };
}

/** Creates what a new platform needs. @param announce reports generated secrets */
export async function bootstrapDatabase(mongo: Mongo, config: MigrationConfig, announce: (text: string) => void) {
  const keys = await createKeys(mongo, config);
  await bootstrap({ bootstrapStore: createBootstrapStore(mongo), keys, newId, config, announce });
}
