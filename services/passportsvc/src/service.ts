import type { Express } from 'express';
import { createEgress } from '@dtplatform/egress';
import { createPendingGrants, newId } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { createQueueOperations } from '@dtplatform/queue';
import {
  countLookups,
  createHealth,
  createAccess,
  createServiceApp,
  createUsageRecount,
  defineService,
  openBackends,
  openDatabase,
  permissionsOf,
  usage,
} from '@dtplatform/runtime';
import type { AccessSources, ProcessContext, QueueOptions, ServiceDeps } from '@dtplatform/runtime';
import { issuerOf } from './config.js';
import type { Config, MigrationConfig, WorkerConfig } from './config.js';
import { createAdministrators } from './directory/administrators/administrators.js';
import { createNotices } from './directory/administrators/notices.js';
import { createApps } from './directory/apps/apps.js';
import { createAudit } from './directory/audit/audit.js';
import { createAuditStore } from './directory/audit/audit.store.js';
import { createAsyncTasks } from './directory/asynctasks/asynctasks.js';
import { createRemoteTasks } from './directory/asynctasks/remote-tasks.client.js';
import { bootstrap } from './directory/bootstrap/bootstrap.js';
import { createBootstrapStore } from './directory/bootstrap/bootstrap.store.js';
import { createDeletions } from './directory/deletions/deletions.js';
import { directory } from './directory/directory.module.js';
import { createOrganizations } from './directory/organizations/organizations.js';
import { createPermissionActions } from './directory/permission_actions/permission-actions.js';
import { createPermissionProfiles } from './directory/permissionprofiles/permission-profiles.js';
import { createQueues } from './directory/queues/queues.store.js';
import { createWorkspaces } from './directory/workspaces/workspaces.js';
import { createRecountSource } from './directory/workspaces/workspaces.store.js';
import { createGroupUseCases, groups } from './groups/groups.module.js';
import { createMailStore } from './groups/mails/mails.store.js';
import { createSmtpSender } from './groups/mails/smtp-sender.client.js';
import { createEndAccess } from './oauth/account/account.js';
import { createConsents } from './oauth/consents/consents.js';
import { createKeys, keys, openKeys } from './oauth/keys/keys.module.js';
import { createVerificationKeys } from './oauth/keys/signing-keys.js';
import { createSignOutTargets } from './oauth/logout/sign-out-target.js';
import { createAccountUseCases, createOAuth, oauth, oauthMounts } from './oauth/oauth.module.js';
import { createSessions } from './oauth/sessions/sessions.js';
import { createEndAuthorizations } from './oauth/token/authorization.js';
import { createKnownApps, createKnownUsers } from './oauth/token/known.js';
import { createTokenRejections } from './oauth/token/token-rejections.store.js';
import { createVersions } from './oauth/token/versions.store.js';
import type { Versions } from './oauth/token/versions.store.js';
import { createFormTokens } from './pages/forms.http.js';
import { createScimUseCases, scim, scimMount } from './scim/scim.module.js';
import { createAddressCheck } from './scim/servers/address-check.client.js';
import { createAccessEndings } from './scim/users/access-endings.js';
import { createAccounts } from './scim/users/accounts.js';
import { createPasswords } from './scim/users/passwords.js';
import { createUsers } from './scim/users/users.js';
import { createStores } from './stores.js';
import type { Stores } from './stores.js';

export const service = defineService({
  name: 'passportsvc',
  title: 'Identity and access',
  description: 'OAuth 2.0, applications, workspaces and users.',
  documents: new URL('../', import.meta.url),
  resources: [oauth, keys, directory, groups, scim, permissionsOf('passportsvc'), usage],
  mounts: (parts) => [...oauthMounts(parts), scimMount(parts)],
  hasOutbox: true,
});

export type Deps = Awaited<ReturnType<typeof createDeps>>;

/** Unlike other services, this one verifies access tokens with its own keys. */
export async function createDeps(
  config: Config,
  context: ProcessContext,
  { queuePrefix, ...ports }: Pick<AccessSources, 'grants'> & QueueOptions = {},
) {
  const backends = await openBackends(service, config, context);
  const { mongo, redis } = backends;
  const versions = createVersions(redis);
  const stores = createStores(mongo, versions);

  const opened = openKeys(mongo, config, context);
  const { sealer, keyring, signingKeys, keyRotation } = opened;
  const verificationKeys = createVerificationKeys(signingKeys);
  const { grants, authenticate, openToken } = createAccess(backends, config, { ...ports, keys: verificationKeys });
  const egress = createEgress({ allow: config.EGRESS_ALLOW });
  context.lifecycle.onStop('checks of addresses', () => egress.close());

  const { findApp, findUser } = createKnown(stores, versions, backends.registry);
  const tokenRejections = createTokenRejections({ mongo, redis, ttlSec: config.ACCESS_TOKEN_TTL_SEC });
  const endAuthorizations = createEndAuthorizations({ ...stores, refuseTokens: tokenRejections.ofGrants });
  const endAccess = createEndAccess({ ...stores, endAuthorizations });
  const consents = createConsents({ ...stores, findApp, findUser, endAuthorizations });
  const passwords = createPasswords();
  context.lifecycle.onStop('hashes of passwords', () => passwords.close());
  const groupUseCases = createGroupUseCases({ stores, grants, baseUrl: config.BASE_URL });
  const deletions = createDeletions({ ...stores, grants, refuseTokensOf: tokenRejections.ofUser });
  const apps = createApps({
    ...stores,
    ...{ grants, deletions, newId, serviceClientId: config.SERVICE_CLIENT_ID },
    secretKey: () => keyring.loaded().appSecrets,
    refuseTokens: tokenRejections.ofApp,
  });
  const auditStore = createAuditStore(mongo, config.AUDIT_RETENTION_DAYS);
  const notifyAdministrators = createNotices({ ...stores, auditStore, baseUrl: config.BASE_URL, log: context.log });
  const audit = createAudit({ auditStore, apps, findApp, findUser, notifyAdministrators, log: context.log });
  const accessEndings = createAccessEndings({
    ...stores,
    refuseTokensOf: tokenRejections.ofUser,
    acceptNewTokensOf: tokenRejections.acceptNewTokensOf,
    endAccess,
    leaveGroups: (userId) => groupUseCases.members.removeEverywhere(userId),
    newId,
  });
  const users = createUsers({ ...stores, apps, passwords, accessEndings, deletions, newId });
  return {
    ...backends,
    checks: { ...backends.checks, signing_keys: signingKeys },
    authenticate,
    config,
    ...{ signingKeys, keyRotation },
    ...createOAuth({
      config,
      stores,
      keys: opened,
      findApp,
      findUser,
      consents,
      openToken: async (token) => (await openToken(token)).principal,
      refuseTokens: tokenRejections.ofGrants,
    }),
    ...createAccountUseCases({ stores, audit, redis, passwords, endAccess, baseUrl: config.BASE_URL, context }),
    findSignOutTarget: createSignOutTargets({ findApp, issuer: issuerOf(config.BASE_URL), keys: verificationKeys }),
    formTokens: createFormTokens(() => keyring.loaded().forms),
    ...{ consents, tokenRejections, deletions, apps, users, audit },
    queues: createQueues(createQueueOperations(redis, queuePrefix)),
    health: createHealth(redis, queuePrefix),
    administrators: createAdministrators({ ...stores, accessEndings }),
    organizations: createOrganizations({ ...stores, newId }),
    workspaces: createWorkspaces({ ...stores, grants, deletions, newId }),
    ...groupUseCases,
    sessions: createSessions({ ...stores, users, endAuthorizations, endAccess }),
    accessEndings,
    accounts: createAccounts({ ...stores, grants, findApp }),
    ...createScimUseCases({ stores, sealer, checkAddress: createAddressCheck(egress) }),
    permissionActions: createPermissionActions(stores),
    permissionProfiles: createPermissionProfiles({ ...stores, deletions, newId }),
    asyncTasks: createAsyncTasks(remoteTasks(backends, config)),
    recountUsage: createUsageRecount(mongo, createRecountSource(mongo)),
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

export function createApp(deps: Deps): Express {
  const app = createServiceApp(service.createApi(deps), deps, {
    loadOrigins: deps.apps.authorizedOrigins,
    audit: deps.audit.calls,
  });
  // Determines the client address from `X-Forwarded-For`.
  app.set('trust proxy', deps.config.TRUSTED_PROXIES);
  return app;
}

export async function createWorkerDeps(config: WorkerConfig, context: ProcessContext) {
  const { mongo, checks } = await openDatabase({ ...service, name: 'passportsvc-worker' }, config, context);
  if (!config.SMTP_URL) context.log.warn('SMTP_URL is not set: mails are queued until it is');
  return { ...context, config, mongo, checks, mailStore: createMailStore(mongo), sender: createSmtpSender(config) };
}

/** Creates a new platform's records. @param announce prints generated secrets */
export async function bootstrapDatabase(mongo: Mongo, config: MigrationConfig, announce: (text: string) => void) {
  const derived = await createKeys(mongo, config);
  await bootstrap({ bootstrapStore: createBootstrapStore(mongo), keys: derived, newId, config, announce });
}
