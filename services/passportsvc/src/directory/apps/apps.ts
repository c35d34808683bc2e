import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access, GrantSource, Scope } from '@dtplatform/permissions';
import { errors } from '../../errors.js';
import { comparableName } from '../../scim/users/user.js';
import type { UserStore } from '../../scim/users/users.store.js';
import type { Deletions } from '../deletions/deletions.js';
import type { OrganizationStore } from '../organizations/organizations.store.js';
import { createAppRights, mayChangeTrusted } from './app-rights.js';
import { authorizedOrigins, CONSOLE_APP } from './app.js';
import type { App, AppChange, AppConfigs } from './app.js';
import type { AppStore } from './apps.store.js';
import { grantsOfApp, hashSecret, newApp, newSecret } from './new-app.js';

export type VisibleApps = 'everything' | { scope: Scope; ownerId?: string; orgId?: string };

export interface AppQuery {
  visible: VisibleApps;
  fields: Partial<Record<'_name' | '_userType' | '_shortName' | '_orgId', string[]>>;
  /** Glob over name and short name; without a `*` it matches substrings. */
  text?: string;
}

export interface AppWrite {
  byId: string;
  precondition: Precondition;
  /** Treats a trusted app as missing. */
  onlyUntrusted: boolean;
}

type NewApp = Pick<App, '_name' | '_userType' | '_orgId' | '_redirectUris' | '_whitelistedApps' | '_configs'> & {
  /** Defaults to the name. */
  _shortName?: string;
  _appOwner: string;
};

interface Deps {
  appStore: AppStore;
  userStore: UserStore;
  organizationStore: OrganizationStore;
  grants: GrantSource;
  newId: () => string;
  secretKey: () => Buffer;
  /** Rejects all access tokens issued so far to the app. */
  refuseTokens: (app: App) => Promise<void>;
  /** The app whose secret is a setting of the services. */
  serviceClientId: string | undefined;
  deletions: Deletions;
}

type ListedApp = Omit<App, '_configs'>;

export type Apps = ReturnType<typeof createApps>;

export function createApps(deps: Deps) {
  const { appStore, userStore, organizationStore, grants, newId, secretKey } = deps;
  const rights = createAppRights(appStore);
  const { organizationOf } = rights;

  async function assertMayManage(orgId: string, access: Access): Promise<void> {
    if (access.principal.kind === 'app' && (await organizationOf(access)) !== orgId) throw errors.foreignOrganization();
    if (!(await organizationStore.find(orgId))) throw errors.unknownOrganization();
  }

  return {
    organizationOf,
    /**
     * Creates an app with its own namespace. Grants everything in it to the app, and everything on the app to its
     * owner.
     * @returns the app and its secret, which is not stored
     * @throws unknownOwner, unknownOrganization, foreignOrganization, shortNameTaken
     */
    async create({ _appOwner, ...wanted }: NewApp, access: Access): Promise<{ app: App; secret: string }> {
      await assertMayManage(wanted._orgId, access);
      const owner = await userStore.findByEmail(wanted._orgId, comparableName(_appOwner));
      if (!owner) throw errors.unknownOwner();
      const shortName = wanted._shortName ?? wanted._name;
      if (await appStore.hasShortName(shortName)) throw errors.shortNameTaken();

      const secret = newSecret();
      const ids = { _id: newId(), _ownerId: owner._id, createdById: access.principal.id };
      const app = newApp({ ...wanted, ...ids, _shortName: shortName, secret }, secretKey());
      // Grants first: if the insert fails, they refer to an app and a namespace that never exist.
      await grants.grant(grantsOfApp(app));
      await appStore.insert(app);
      return { app, secret };
    },
    async list(query: Omit<AppQuery, 'visible'>, paging: Paging, access: Access): Promise<Listing<ListedApp>> {
      return appStore.list({ ...query, visible: await rights.visibleTo(access) }, paging);
    },
    get: async (id: string, access: Access): Promise<App> => rights.require(['READ'], await appStore.find(id), access),
    /**
     * Rejects the app's earlier tokens if it loses its trust.
     * @throws notFound, forbidden, trustedApp, onlyAdministrators, platformApp, 412
     */
    async update(id: string, change: AppChange, access: Access, precondition: Precondition): Promise<App> {
      const app = await rights.require(['EDIT'], await appStore.find(id), access);
      if (change._trusted !== undefined && access.principal.kind !== 'admin') throw errors.onlyAdministrators();
      if (id === CONSOLE_APP && changesSignIn(app, change)) throw errors.platformApp();
      if (id === deps.serviceClientId && change._trusted === false) throw errors.platformApp();
      const changed = await appStore.update(id, change, writeOf(access, precondition));
      if (!changed) throw commonErrors.notFound();
      if (change._trusted === false) await deps.refuseTokens(app);
      return changed;
    },
    /**
     * Replaces the secret.
     * @param options.previousValidForSec how long the present secret stays valid
     * @param options.endTokens rejects all access tokens issued so far to the app and its users
     * @returns the app and its new secret, which is not stored
     * @throws notFound, forbidden, trustedApp, serviceClientSecret; 409 when it is replaced concurrently
     */
    async replaceSecret(
      id: string,
      { previousValidForSec, endTokens }: { previousValidForSec: number; endTokens: boolean },
      access: Access,
    ): Promise<{ app: App; secret: string }> {
      const app = await rights.require(['EDIT'], await appStore.find(id), access);
      if (id === deps.serviceClientId) throw errors.serviceClientSecret();
      const secret = newSecret();
      const previous = previousValidForSec > 0 && {
        _previousSecretHash: app._secretHash,
        _previousSecretExpiresAt: Date.now() + previousValidForSec * 1000,
      };
      const write = writeOf(access, undefined);
      if (endTokens) await deps.refuseTokens(app);
      const changed = await appStore.replaceSecret(app, hashSecret(secret, secretKey()), { ...previous }, write);
      if (!changed) throw commonErrors.conflict();
      if (endTokens) await deps.refuseTokens(app);
      return { app: changed, secret };
    },
    /**
     * Deletes an app. Once the promise resolves, its tokens and the permissions in its namespaces are void.
     * @throws notFound, forbidden, trustedApp, platformApp, 412
     */
    async remove(id: string, access: Access, precondition: Precondition): Promise<void> {
      const app = await rights.require(['DELETE'], await appStore.find(id), access);
      if (id === CONSOLE_APP || id === deps.serviceClientId) throw errors.platformApp();
      // The first call proves that Redis is available; the second covers tokens issued in between.
      const deletion = await appStore.remove(id, writeOf(access, precondition), () => deps.refuseTokens(app));
      if (!deletion) throw commonErrors.notFound();
      await deps.refuseTokens(app);
      await deps.deletions.finish(deletion);
    },
    /**
     * @param change returns the new configuration; it may run several times
     * @throws notFound, forbidden, trustedApp, 412
     */
    async changeConfigs(
      id: string,
      change: (configs: AppConfigs) => AppConfigs,
      access: Access,
      precondition: Precondition,
    ): Promise<App> {
      await rights.require(['EDIT', 'DELETE'], await appStore.find(id), access);
      const changed = await appStore.changeConfigs(id, change, writeOf(access, precondition));
      if (!changed) throw commonErrors.notFound();
      return changed;
    },
    authorizedOrigins: async (): Promise<string[]> => [
      ...new Set((await appStore.listAuthorizedOrigins()).flatMap(authorizedOrigins)),
    ],
  };
}

/** Nobody could sign in to the console to undo it. */
const changesSignIn = (app: App, change: AppChange): boolean =>
  (['_redirectUris', '_authorizedGrantTypes', '_trusted'] as const).some(
    (field) => change[field] !== undefined && change[field] !== app[field],
  );

/** Skips an app that becomes trusted between the check and the write. */
const writeOf = (access: Access, precondition: Precondition): AppWrite => ({
  byId: access.principal.id,
  precondition,
  onlyUntrusted: !mayChangeTrusted(access),
});
