import { createEgress } from '@dtplatform/egress';
import { newId } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { acceptNewTokens, refuseTokens } from '@dtplatform/permissions';
import { createOutbox, createTasks } from '@dtplatform/queue';
import { audienceOf, createAccess, openBackends } from '@dtplatform/service';
import type { AccessSources, Backends, ProcessContext, ServiceDeps } from '@dtplatform/service';
import { createOAuthProvider } from './api/oauth/provider/oauth-provider.js';
import type { OAuthProvider } from './api/oauth/provider/oauth-provider.js';
import { createFormTokens } from './api/pages/form-tokens.js';
import type { FormTokens } from './api/pages/form-tokens.js';
import { NEW_PASSWORD_PATH } from './api/pages/paths.js';
import { createBackground } from './background.js';
import { issuerOf } from './config.js';
import { createAccount } from './domain/account/account.js';
import type { Account } from './domain/account/account.js';
import { createEndAccess } from './domain/account/end-access.js';
import type { Config, MigrationConfig } from './config.js';
import { createApps } from './domain/apps/apps.js';
import type { App } from './domain/apps/app.js';
import type { Apps } from './domain/apps/apps.js';
import type { AppStore } from './domain/apps/ports.js';
import { bootstrap } from './domain/bootstrap/bootstrap.js';
import type { Sealer } from './domain/keys/sealer.js';
import { createVerificationKeys } from './domain/keys/signing-keys.js';
import type { SigningKeys } from './domain/keys/signing-keys.js';
import { createConsents } from './domain/consents/consents.js';
import type { Consents } from './domain/consents/consents.js';
import { createAsyncTasks } from './domain/asynctasks/async-tasks.js';
import type { AsyncTasks } from './domain/asynctasks/async-tasks.js';
import type { MailQueue } from './domain/mail/ports.js';
import { createDeletions } from './domain/deletions/deletions.js';
import type { Deletions } from './domain/deletions/deletions.js';
import { createNotificationTemplates } from './domain/notification-templates/notification-templates.js';
import type { NotificationTemplates } from './domain/notification-templates/notification-templates.js';
import { createPermissionActions } from './domain/permission-actions/permission-actions.js';
import type { PermissionActions } from './domain/permission-actions/permission-actions.js';
import { createAccessTokens } from './domain/oauth/access-tokens.js';
import { createEndAuthorizations } from './domain/oauth/end-authorizations.js';
import { createKnownApps } from './domain/oauth/known-apps.js';
import { createKnownUsers } from './domain/oauth/known-users.js';
import { createSignInLimits } from './domain/oauth/sign-in-limits.js';
import { createSignIn } from './domain/oauth/sign-in.js';
import type { SignIn } from './domain/oauth/sign-in.js';
import { createSignOutTargets } from './domain/oauth/sign-out-target.js';
import type { FindSignOutTarget } from './domain/oauth/sign-out-target.js';
import { createTokens } from './domain/oauth/tokens.js';
import type { Tokens } from './domain/oauth/tokens.js';
import { createDeliveries } from './domain/scim-delivery/deliveries.js';
import type { Deliveries } from './domain/scim-delivery/deliveries.js';
import { createScimServers } from './domain/scim-delivery/scim-servers.js';
import type { ScimServers } from './domain/scim-delivery/scim-servers.js';
import { createOrganizations } from './domain/organizations/organizations.js';
import type { Organizations } from './domain/organizations/organizations.js';
import { createPasswordResets } from './domain/password-reset/password-resets.js';
import type { PasswordResets } from './domain/password-reset/password-resets.js';
import { createPasswords } from './domain/scim/passwords.js';
import { createUserAccess } from './domain/scim/user-access.js';
import type { UserAccess } from './domain/scim/user-access.js';
import { createUsers } from './domain/scim/users.js';
import type { Users } from './domain/scim/users.js';
import { createGroupSync } from './domain/usergroups/group-sync.js';
import type { GroupSync } from './domain/usergroups/group-sync.js';
import { createInviteMails } from './domain/invites/invite-mails.js';
import { createInvites } from './domain/invites/invites.js';
import type { Invites } from './domain/invites/invites.js';
import { createMembers } from './domain/usergroups/members.js';
import type { Members } from './domain/usergroups/members.js';
import { createUserGroups } from './domain/usergroups/usergroups.js';
import type { UserGroups } from './domain/usergroups/usergroups.js';
import { createAccounts } from './domain/users/accounts.js';
import type { Accounts } from './domain/users/accounts.js';
import { createWorkspaces } from './domain/workspaces/workspaces.js';
import type { Workspaces } from './domain/workspaces/workspaces.js';
import { mailJobs } from './jobs/catalogue.js';
import { createOwnTasks } from './store/asynctasks/own-tasks.js';
import { createRemoteTasks } from './store/asynctasks/remote-tasks.js';
import { createNotificationTemplateStore } from './store/notification-templates/notification-template-store.js';
import { createPermissionActionStore } from './store/permission-actions/permission-action-store.js';
import { createAccountStore } from './store/account/account-store.js';
import { createAppStore } from './store/apps/app-store.js';
import { createBootstrapStore } from './store/bootstrap/bootstrap-store.js';
import { createConsentStore } from './store/consents/consent-store.js';
import { createDeletionStore } from './store/deletions/deletion-store.js';
import { createMailQueue } from './store/mail/mail-queue.js';
import { createAttemptCounters } from './store/oauth/attempt-counters.js';
import { createAuthorizationStore } from './store/oauth/authorization-store.js';
import { interactionModel, sessionModel } from './store/oauth/browser-state.model.js';
import { createBrowserStateStore } from './store/oauth/browser-state-store.js';
import { createOrganizationStore } from './store/organizations/organization-store.js';
import { createKeys, openKeys } from './open-keys.js';
import { createPasswordResetStore } from './store/password-reset/password-reset-store.js';
import { schema } from './store/schema.js';
import { createAddressCheck } from './store/scim-delivery/address-check.js';
import { createDeliveryStore } from './store/scim-delivery/delivery-store.js';
import { createScimListenerStore } from './store/scim-delivery/scim-listener-store.js';
import { createScimServerStore } from './store/scim-delivery/scim-server-store.js';
import { createAccessEndingStore } from './store/scim/access-ending-store.js';
import { createUserStore } from './store/scim/user-store.js';
import { createInviteStore } from './store/invites/invite-store.js';
import { createMemberStore } from './store/usergroups/member-store.js';
import { createUserGroupStore } from './store/usergroups/usergroup-store.js';
import { createWorkspaceStore } from './store/workspaces/workspace-store.js';

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
  /** For stores: a mail is recorded in the transaction of the write that causes it. */
  mailQueue: MailQueue<ClientSession>;
  userAccess: UserAccess;
}

interface GroupUseCases {
  userGroups: UserGroups;
  members: Members;
  groupSync: GroupSync;
  invites: Invites;
  accounts: Accounts;
}

type GroupDeps = Pick<Parameters<typeof createUserGroups>[0], 'appStore' | 'userStore' | 'grants'>;

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
  const oauth = {
    signingKeys,
    accessTokens: createAccessTokens({ issuer, audience: audienceOf(config), signingKeys, ttlSec }),
    findApp,
    findUser,
    consents,
  };
  const oauthProvider = createOAuthProvider({
    ...oauth,
    issuer,
    cookieKey: () => keyring.loaded().cookies,
    newId,
    stores: {
      sessions: stores.sessionStore,
      interactions: createBrowserStateStore(mongo.model(interactionModel)),
      authorizations: authorizationStore,
    },
  });
  const tokens = createTokens({
    ...oauth,
    openToken: async (token) => (await openToken(token)).principal,
    authorizationStore,
    appSecretKey: () => keyring.loaded().appSecrets,
    refreshTokenKey: () => keyring.loaded().refreshTokens,
    refreshTokenTtlSec: config.REFRESH_TOKEN_TTL_SEC,
    refuseTokens: refusals.ofGrants,
  });

  const passwords = createPasswords();
  const deletions = createDeletions({ ...stores, grants });
  const counters = createAttemptCounters(redis.client);
  const signInLimits = createSignInLimits(counters);
  const signIn = createSignIn({ userStore, appStore, passwords, limits: signInLimits });
  const mailQueue = openMailQueue(mongo);
  const accountStore = createAccountStore(mongo);
  const endAccess = createEndAccess({ accountStore, endAuthorizations });
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
    formTokens: createFormTokens(() => keyring.loaded().forms),
    account: createAccount({ accountStore, userStore, signIn, passwords, endAccess }),
    passwordResets: createPasswordResets({
      resetStore: createPasswordResetStore({ mongo, mailQueue, accountStore }),
      userStore,
      passwords,
      counters,
      endAccess,
      linkTo: (token) => `${config.BASE_URL}${NEW_PASSWORD_PATH}?token=${token}`,
      inBackground: createBackground(context),
    }),
    consents,
    deletions,
    apps,
    organizations: createOrganizations({ organizationStore, newId }),
    workspaces: createWorkspaces({ workspaceStore, grants, deletions, newId }),
    ...groupUseCases,
    users: createUsers({ userStore, apps, passwords, userAccess, newId }),
    userAccess,
    ...createScimRegistration(config, backends, sealer),
    mailQueue,
    ...messageDeps(backends, appStore, config),
  };
}

/** Texts of mails, and what is known of actions and tasks. */
function messageDeps(backends: Backends, appStore: AppStore, { ITEMSVC_URL }: Config) {
  const { mongo } = backends;
  const remoteTasks = [createRemoteTasks('itemsvc', backends.serviceClient(ITEMSVC_URL))];
  return {
    notificationTemplates: createNotificationTemplates({
      templateStore: createNotificationTemplateStore(mongo),
      appStore,
      newId,
    }),
    permissionActions: createPermissionActions({ permissionActionStore: createPermissionActionStore(mongo) }),
    asyncTasks: createAsyncTasks({ ownTasks: createOwnTasks(createTasks(mongo)), remoteTasks }),
  };
}

const createStores = (mongo: Mongo) => ({
  accessEndingStore: createAccessEndingStore(mongo),
  appStore: createAppStore(mongo),
  authorizationStore: createAuthorizationStore(mongo),
  consentStore: createConsentStore(mongo),
  deletionStore: createDeletionStore(mongo),
  organizationStore: createOrganizationStore(mongo),
  sessionStore: createBrowserStateStore(mongo.model(sessionModel)),
  userStore: createUserStore(mongo),
  workspaceStore: createWorkspaceStore(mongo),
});

type RedisClient = ServiceDeps['redis']['client'];

/** Refuse access tokens that were issued until now. @param ttlSec their usual lifetime */
const createRefusals = (redis: RedisClient, ttlSec: number) => ({
  ofGrants: async (ids: string[]) => {
    await Promise.all(ids.map((id) => refuseTokens(redis, 'grant', id, ttlSec)));
  },
  ofUser: (id: string) => refuseTokens(redis, 'subject', id, ttlSec),
  ofApp: ({ _id, _accessTokenTtlSec = 0 }: App) =>
    refuseTokens(redis, 'app', _id, Math.max(ttlSec, _accessTokenTtlSec)),
});
const openMailQueue = (mongo: Mongo) =>
  createMailQueue({ mongo, outbox: createOutbox(mongo), sendMessage: mailJobs.messages['mail.send'] });

/** Groups, their members, invites to them, and what users see of each other. */
function createGroupUseCases({ mongo, ...shared }: { mongo: Mongo } & GroupDeps, baseUrl: string): GroupUseCases {
  const groupStore = createUserGroupStore(mongo);
  const memberStore = createMemberStore(mongo);
  const inviteStore = createInviteStore(mongo, openMailQueue(mongo));
  const templateStore = createNotificationTemplateStore(mongo);
  const templates = createNotificationTemplates({ templateStore, newId, ...shared });
  const groupSync = createGroupSync({ groupStore, memberStore, ...shared });
  const userGroups = createUserGroups({ groupStore, memberStore, groupSync, newId, ...shared });
  const composeMail = createInviteMails({ templates, baseUrl });
  return {
    userGroups,
    groupSync,
    members: createMembers({ memberStore, userGroups, groupSync, ...shared }),
    invites: createInvites({ inviteStore, groupStore, userGroups, groupSync, composeMail, newId, ...shared }),
    accounts: createAccounts(shared),
  };
}
/** Registered SCIM servers, and what is delivered to them. */
function createScimRegistration(
  config: Config,
  { mongo, lifecycle }: Pick<ServiceDeps, 'mongo' | 'lifecycle'>,
  sealer: Sealer,
) {
  const egress = createEgress({ allow: config.EGRESS_ALLOW });
  lifecycle.onStop('checks of addresses', () => egress.close());
  return {
    scimServers: createScimServers({
      scimServerStore: createScimServerStore(mongo),
      scimListenerStore: createScimListenerStore(mongo),
      checkAddress: createAddressCheck(egress),
      newId,
      sealer,
    }),
    deliveries: createDeliveries({ deliveryStore: createDeliveryStore(mongo) }),
  };
}

/** Creates what a new platform needs. @param announce reports generated secrets */
export async function bootstrapDatabase(mongo: Mongo, config: MigrationConfig, announce: (text: string) => void) {
  const keys = await createKeys(mongo, config);
  await bootstrap({ bootstrapStore: createBootstrapStore(mongo), keys, newId, config, announce });
}
