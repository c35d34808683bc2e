import { createEgress } from '@dtplatform/egress';
import { createPendingGrants, newId } from '@dtplatform/mongo';
import type { Mongo, PendingGrants } from '@dtplatform/mongo';
import { acceptNewTokens } from '@dtplatform/permissions';
import { countLookups, createAccess, createUsageRecount, openBackends } from '@dtplatform/service';
import type { AccessSources, ProcessContext, RecountUsage, ServiceDeps } from '@dtplatform/service';
import { issuerOf } from './config.js';
import type { Config, MigrationConfig } from './config.js';
import { createApps } from './directory/apps/apps.js';
import type { Apps } from './directory/apps/apps.js';
import { createAsyncTasks } from './directory/asynctasks/asynctasks.js';
import type { AsyncTasks } from './directory/asynctasks/asynctasks.js';
import { createRemoteTasks } from './directory/asynctasks/remote-tasks.client.js';
import { bootstrap } from './directory/bootstrap/bootstrap.js';
import { createBootstrapStore } from './directory/bootstrap/bootstrap.store.js';
import { createDeletions } from './directory/deletions/deletions.js';
import type { Deletions } from './directory/deletions/deletions.js';
import { createOrganizations } from './directory/organizations/organizations.js';
import type { Organizations } from './directory/organizations/organizations.js';
import { createPermissionActions } from './directory/permission_actions/permission-actions.js';
import type { PermissionActions } from './directory/permission_actions/permission-actions.js';
import { createPermissionProfiles } from './directory/permissionprofiles/permission-profiles.js';
import type { PermissionProfiles } from './directory/permissionprofiles/permission-profiles.js';
import { createWorkspaces } from './directory/workspaces/workspaces.js';
import type { Workspaces } from './directory/workspaces/workspaces.js';
import { createHoldings } from './directory/workspaces/workspaces.store.js';
import { createGroupUseCases } from './groups/groups.module.js';
import type { GroupUseCases } from './groups/groups.module.js';
import { createNotificationTemplates } from './groups/notification_templates/notification-templates.js';
import type { NotificationTemplates } from './groups/notification_templates/notification-templates.js';
import { createEndAccess } from './oauth/account/account.js';
import { createAccountUseCases } from './oauth/account/account.module.js';
import type { AccountUseCases } from './oauth/account/account.module.js';
import type { OAuthProvider } from './oauth/authorize/oauth-provider.http.js';
import { createConsents } from './oauth/consents/consents.js';
import type { Consents } from './oauth/consents/consents.js';
import { createKeys, openKeys } from './oauth/keys/keys.module.js';
import { createVerificationKeys } from './oauth/keys/signing-keys.js';
import type { SigningKeys } from './oauth/keys/signing-keys.js';
import { createSignOutTargets } from './oauth/logout/sign-out-target.js';
import type { FindSignOutTarget } from './oauth/logout/sign-out-target.js';
import { createOAuth } from './oauth/oauth.module.js';
import { createEndAuthorizations } from './oauth/token/authorization.js';
import { createKnownApps, createKnownUsers } from './oauth/token/known.js';
import { createTokenRefusals } from './oauth/token/token-refusals.store.js';
import type { Tokens } from './oauth/token/tokens.js';
import { createVersions } from './oauth/token/versions.store.js';
import type { Versions } from './oauth/token/versions.store.js';
import { createFormTokens } from './pages/forms.http.js';
import type { FormTokens } from './pages/forms.http.js';
import { createDeliveries } from './scim/deliveries/deliveries.js';
import type { Deliveries } from './scim/deliveries/deliveries.js';
import { createScimListeners } from './scim/listeners/scim-listeners.js';
import type { ScimListeners } from './scim/listeners/scim-listeners.js';
import { createAddressCheck } from './scim/servers/address-check.client.js';
import { createScimServers } from './scim/servers/scim-servers.js';
import type { ScimServers } from './scim/servers/scim-servers.js';
import { createAccessEndings } from './scim/users/access-endings.js';
import type { AccessEndings } from './scim/users/access-endings.js';
import { createAccounts } from './scim/users/accounts.js';
import type { Accounts } from './scim/users/accounts.js';
import { createPasswords } from './scim/users/passwords.js';
import { createUsers } from './scim/users/users.js';
import type { Users } from './scim/users/users.js';
import { schema } from './store/schema.js';
import { createStores } from './stores.js';
import type { Stores } from './stores.js';

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
