import { createEgress } from '@dtplatform/egress';
import { newId } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { refuseTokens } from '@dtplatform/permissions';
import { createOutbox, createTasks } from '@dtplatform/queue';
import { audienceOf } from '@dtplatform/service';
import type { Backends, ProcessContext, ServiceDeps } from '@dtplatform/service';
import { createOAuthProvider } from './api/oauth/provider/oauth-provider.js';
import { NEW_PASSWORD_PATH } from './api/pages/paths.js';
import { createBackground } from './background.js';
import { issuerOf } from './config.js';
import { createAccount } from './domain/account/account.js';
import { createEndAccess } from './domain/account/end-access.js';
import type { Config } from './config.js';
import type { App } from './domain/apps/app.js';
import type { AppStore } from './domain/apps/ports.js';
import type { Sealer } from './domain/keys/sealer.js';
import { createAsyncTasks } from './domain/asynctasks/async-tasks.js';
import { createNotificationTemplates } from './domain/notification-templates/notification-templates.js';
import { createPermissionActions } from './domain/permission-actions/permission-actions.js';
import { createAccessTokens } from './domain/oauth/access-tokens.js';
import { createTokens } from './domain/oauth/tokens.js';
import { createDeliveries } from './domain/scim-delivery/deliveries.js';
import { createScimServers } from './domain/scim-delivery/scim-servers.js';
import { createPasswordResets } from './domain/password-reset/password-resets.js';
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
import { mailJobs } from './jobs/catalogue.js';
import { createOwnTasks } from './store/asynctasks/own-tasks.js';
import { createRemoteTasks } from './store/asynctasks/remote-tasks.js';
import { createNotificationTemplateStore } from './store/notification-templates/notification-template-store.js';
import { createPermissionActionStore } from './store/permission-actions/permission-action-store.js';
import { createAccountStore } from './store/account/account-store.js';
import { createAppStore } from './store/apps/app-store.js';
import { createConsentStore } from './store/consents/consent-store.js';
import { createDeletionStore } from './store/deletions/deletion-store.js';
import { createMailQueue } from './store/mail/mail-queue.js';
import { createAuthorizationStore } from './store/oauth/authorization-store.js';
import { interactionModel, sessionModel } from './store/oauth/browser-state.model.js';
import { createBrowserStateStore } from './store/oauth/browser-state-store.js';
import { createOrganizationStore } from './store/organizations/organization-store.js';
import type { openKeys } from './open-keys.js';
import { createPasswordResetStore } from './store/password-reset/password-reset-store.js';
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

interface OAuthSources extends Pick<
  Parameters<typeof createTokens>[0],
  'findApp' | 'findUser' | 'consents' | 'signingKeys' | 'authorizationStore' | 'openToken' | 'refuseTokens'
> {
  mongo: Mongo;
  config: Config;
  keyring: ReturnType<typeof openKeys>['keyring'];
  sessions: Parameters<typeof createOAuthProvider>[0]['stores']['sessions'];
}

/** The authorization server: sign-in with a browser by oidc-provider, tokens by the domain. */
export function createOAuth({ mongo, config, keyring, sessions, openToken, refuseTokens, ...shared }: OAuthSources) {
  const issuer = issuerOf(config.BASE_URL);
  const { signingKeys, authorizationStore } = shared;
  const ttlSec = config.ACCESS_TOKEN_TTL_SEC;
  const accessTokens = createAccessTokens({ issuer, audience: audienceOf(config), signingKeys, ttlSec });
  const interactions = createBrowserStateStore(mongo.model(interactionModel));
  return {
    oauthProvider: createOAuthProvider({
      ...shared,
      accessTokens,
      issuer,
      cookieKey: () => keyring.loaded().cookies,
      newId,
      stores: { sessions, interactions, authorizations: authorizationStore },
    }),
    tokens: createTokens({
      ...shared,
      accessTokens,
      openToken,
      appSecretKey: () => keyring.loaded().appSecrets,
      refreshTokenKey: () => keyring.loaded().refreshTokens,
      refreshTokenTtlSec: config.REFRESH_TOKEN_TTL_SEC,
      refuseTokens,
    }),
  };
}

export interface GroupUseCases {
  userGroups: UserGroups;
  members: Members;
  groupSync: GroupSync;
  invites: Invites;
  accounts: Accounts;
}

type GroupDeps = Pick<Parameters<typeof createUserGroups>[0], 'appStore' | 'userStore' | 'grants'>;

type AccountSources = { mongo: Mongo } & Omit<Parameters<typeof createAccount>[0], 'accountStore' | 'endAccess'> &
  Pick<Parameters<typeof createPasswordResets>[0], 'counters' | 'userStore' | 'passwords'> &
  Omit<Parameters<typeof createEndAccess>[0], 'accountStore'>;

/** What users do with their own account. */
export function accountDeps({ mongo, ...shared }: AccountSources, { BASE_URL }: Config, context: ProcessContext) {
  const accountStore = createAccountStore(mongo);
  const endAccess = createEndAccess({ accountStore, ...shared });
  return {
    account: createAccount({ accountStore, endAccess, ...shared }),
    passwordResets: createPasswordResets({
      resetStore: createPasswordResetStore({ mongo, mailQueue: openMailQueue(mongo), accountStore }),
      endAccess,
      ...shared,
      linkTo: (token) => `${BASE_URL}${NEW_PASSWORD_PATH}?token=${token}`,
      inBackground: createBackground(context),
    }),
  };
}

/** Texts of mails, and what is known of actions and tasks. */
export function messageDeps(backends: Backends, appStore: AppStore, { ITEMSVC_URL }: Config) {
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

export const createStores = (mongo: Mongo) => ({
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
export const createRefusals = (redis: RedisClient, ttlSec: number) => ({
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
export function createGroupUseCases(
  { mongo, ...shared }: { mongo: Mongo } & GroupDeps,
  baseUrl: string,
): GroupUseCases {
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
export function createScimRegistration(
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
