import { createEgress } from '@dtplatform/egress';
import { createPendingGrants, newId } from '@dtplatform/mongo';
import type { Mongo, PendingGrants } from '@dtplatform/mongo';
import { acceptNewTokens } from '@dtplatform/permissions';
import { countLookups, createAccess, createUsageRecount, openBackends } from '@dtplatform/service';
import type { AccessSources, ProcessContext, RecountUsage, ServiceDeps } from '@dtplatform/service';
import type { OAuthProvider } from './api/oauth/provider/oauth-provider.js';
import { createFormTokens } from './api/pages/form-tokens.js';
import type { FormTokens } from './api/pages/form-tokens.js';
import { issuerOf } from './config.js';
import type { Config, MigrationConfig } from './config.js';
import { createAccountUseCases } from './deps/account.js';
import type { AccountUseCases } from './deps/account.js';
import { createGroupUseCases } from './deps/groups.js';
import type { GroupUseCases } from './deps/groups.js';
import { createKeys, openKeys } from './deps/keys.js';
import { createOAuth } from './deps/oauth.js';
import { createStores } from './deps/stores.js';
import type { Stores } from './deps/stores.js';
import { createTokenRefusals } from './deps/token-refusals.js';
import { createEndAccess } from './domain/account/end-access.js';
import { createApps } from './domain/apps/apps.js';
import type { Apps } from './domain/apps/apps.js';
import { createAsyncTasks } from './domain/asynctasks/async-tasks.js';
import type { AsyncTasks } from './domain/asynctasks/async-tasks.js';
import { bootstrap } from './domain/bootstrap/bootstrap.js';
import { createConsents } from './domain/consents/consents.js';
import type { Consents } from './domain/consents/consents.js';
import { createDeletions } from './domain/deletions/deletions.js';
import type { Deletions } from './domain/deletions/deletions.js';
import { createVerificationKeys } from './domain/keys/signing-keys.js';
import type { SigningKeys } from './domain/keys/signing-keys.js';
import { createNotificationTemplates } from './domain/notification-templates/notification-templates.js';
import type { NotificationTemplates } from './domain/notification-templates/notification-templates.js';
import { createEndAuthorizations } from './domain/oauth/end-authorizations.js';
import { createKnownApps } from './domain/oauth/known-apps.js';
import { createKnownUsers } from './domain/oauth/known-users.js';
import { createSignOutTargets } from './domain/oauth/sign-out-target.js';
import type { Versions } from './domain/oauth/ports.js';
import type { FindSignOutTarget } from './domain/oauth/sign-out-target.js';
import type { Tokens } from './domain/oauth/tokens.js';
import { createOrganizations } from './domain/organizations/organizations.js';
import type { Organizations } from './domain/organizations/organizations.js';
import { createPermissionActions } from './domain/permission-actions/permission-actions.js';
import type { PermissionActions } from './domain/permission-actions/permission-actions.js';
import { createPermissionProfiles } from './domain/permissionprofiles/permission-profiles.js';
import type { PermissionProfiles } from './domain/permissionprofiles/permission-profiles.js';
import { createDeliveries } from './domain/scim-delivery/deliveries.js';
import type { Deliveries } from './domain/scim-delivery/deliveries.js';
import { createScimListeners } from './domain/scim-delivery/scim-listeners.js';
import type { ScimListeners } from './domain/scim-delivery/scim-listeners.js';
import { createScimServers } from './domain/scim-delivery/scim-servers.js';
import type { ScimServers } from './domain/scim-delivery/scim-servers.js';
import { createAccessEndings } from './domain/scim/access-endings.js';
import type { AccessEndings } from './domain/scim/access-endings.js';
import { createPasswords } from './domain/scim/passwords.js';
import { createUsers } from './domain/scim/users.js';
import type { Users } from './domain/scim/users.js';
import { createAccounts } from './domain/users/accounts.js';
import type { Accounts } from './domain/users/accounts.js';
import { createWorkspaces } from './domain/workspaces/workspaces.js';
import type { Workspaces } from './domain/workspaces/workspaces.js';
import { createRemoteTasks } from './store/asynctasks/remote-tasks.js';
import { createBootstrapStore } from './store/bootstrap/bootstrap-store.js';
import { createVersions } from './store/oauth/versions.js';
import { createAddressCheck } from './store/scim-delivery/address-check.js';
import { schema } from './store/schema.js';
import { createHoldings } from './store/workspaces/holdings.js';

export interface Deps extends ServiceDeps, AccountUseCases, GroupUseCases {
  config: Config;
  signingKeys: SigningKeys;
  oauthProvider: OAuthProvider;
  tokens: Tokens;
  findSignOutTarget: FindSignOutTarget;
  /** Tokens of the forms on pages. */
  formTokens: FormTokens;
  consents: Consents;
  /** What follows when an app, workspace, user or permission profile is deleted. */
  deletions: Deletions;
  apps: Apps;
  organizations: Organizations;
  workspaces: Workspaces;
  users: Users;
  scimServers: ScimServers;
  scimListeners: ScimListeners;
  deliveries: Deliveries;
  notificationTemplates: NotificationTemplates;
  permissionActions: PermissionActions;
  permissionProfiles: PermissionProfiles;
  asyncTasks: AsyncTasks;
  accessEndings: AccessEndings;
  accounts: Accounts;
  recountUsage: RecountUsage;
  pendingGrants: PendingGrants;
}

/** Constructs everything. Unlike other services, this one verifies access tokens with its own keys. */
export async function createDeps(
  config: Config,
  context: ProcessContext,
  ports: Pick<AccessSources, 'grants'> = {},
): Promise<Deps> {
  const backends = await openBackends({ name: 'passportsvc', schema }, config, context);
  const { mongo, redis } = backends;
  const versions = createVersions(redis.client);
  const stores = createStores(mongo, versions);
  const { userStore } = stores;

  const keys = openKeys(mongo, config, context);
  const { sealer, keyring, signingKeys } = keys;
  const verificationKeys = createVerificationKeys(signingKeys);
  const { grants, authenticate, openToken } = createAccess(backends, config, { ...ports, keys: verificationKeys });
  const egress = createEgress({ allow: config.EGRESS_ALLOW });
  context.lifecycle.onStop('checks of addresses', () => egress.close());

  const { findApp, findUser } = createKnown(stores, versions, backends.registry);
  const refusals = createTokenRefusals(redis.client, config.ACCESS_TOKEN_TTL_SEC);
  const endAuthorizations = createEndAuthorizations({ ...stores, refuseTokens: refusals.ofGrants });
  const endAccess = createEndAccess({ ...stores, endAuthorizations });
  const consents = createConsents({ ...stores, findApp, findUser, endAuthorizations });
  const passwords = createPasswords();
  context.lifecycle.onStop('hashes of passwords', () => passwords.close());
  const notificationTemplates = createNotificationTemplates({ ...stores, newId });
  const groups = createGroupUseCases({ stores, grants, templates: notificationTemplates, baseUrl: config.BASE_URL });
  const deletions = createDeletions({ ...stores, grants, refuseTokensOf: refusals.ofUser });
  const apps = createApps({
    ...stores,
    ...{ grants, deletions, newId },
    secretKey: () => keyring.loaded().appSecrets,
    refuseTokens: refusals.ofApp,
  });
  const accessEndings = createAccessEndings({
    ...stores,
    refuseTokensOf: refusals.ofUser,
    acceptNewTokensOf: (userId) => acceptNewTokens(redis.client, userId),
    endAccess,
    leaveGroups: (userId) => groups.members.removeEverywhere(userId),
    newId,
  });
  return {
    ...backends,
    checks: { ...backends.checks, signing_keys: signingKeys },
    authenticate,
    config,
    signingKeys,
    ...createOAuth({
      config,
      stores,
      keys,
      findApp,
      findUser,
      consents,
      openToken: async (token) => (await openToken(token)).principal,
      refuseTokens: refusals.ofGrants,
    }),
    ...createAccountUseCases({ stores, redis, passwords, endAccess, baseUrl: config.BASE_URL, context }),
    findSignOutTarget: createSignOutTargets({ findApp, issuer: issuerOf(config.BASE_URL), keys: verificationKeys }),
    formTokens: createFormTokens(() => keyring.loaded().forms),
    consents,
    deletions,
    apps,
    organizations: createOrganizations({ ...stores, newId }),
    workspaces: createWorkspaces({ ...stores, grants, deletions, newId }),
    ...groups,
    users: createUsers({ userStore, apps, passwords, accessEndings, deletions, newId }),
    accessEndings,
    accounts: createAccounts({ ...stores, grants, findApp }),
    scimServers: createScimServers({ ...stores, checkAddress: createAddressCheck(egress), sealer, newId }),
    scimListeners: createScimListeners({ ...stores, newId }),
    deliveries: createDeliveries(stores),
    notificationTemplates,
    permissionActions: createPermissionActions(stores),
    permissionProfiles: createPermissionProfiles({ ...stores, deletions, newId }),
    asyncTasks: createAsyncTasks(remoteTasks(backends, config)),
    recountUsage: createUsageRecount(mongo, createHoldings(mongo)),
    pendingGrants: createPendingGrants(mongo, grants, context.log),
  };
}

const createKnown = ({ appStore, userStore }: Stores, versions: Versions, registry: ServiceDeps['registry']) => ({
  findApp: createKnownApps(appStore, versions, countLookups(registry, 'apps')),
  findUser: createKnownUsers(userStore, versions, countLookups(registry, 'users')),
});

const remoteTasks = ({ serviceClient }: Pick<ServiceDeps, 'serviceClient'>, { ITEMSVC_URL, FILESVC_URL }: Config) => [
  createRemoteTasks('itemsvc', serviceClient(ITEMSVC_URL)),
  createRemoteTasks('filesvc', serviceClient(FILESVC_URL)),
];

/** Creates what a new platform needs. @param announce reports generated secrets */
export async function bootstrapDatabase(mongo: Mongo, config: MigrationConfig, announce: (text: string) => void) {
  const keys = await createKeys(mongo, config);
  await bootstrap({ bootstrapStore: createBootstrapStore(mongo), keys, newId, config, announce });
}
