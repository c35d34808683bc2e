import { commonErrors } from '@dtplatform/errors';
import type { Access, GrantSource } from '@dtplatform/permissions';
import { errors } from '../../errors.js';
import type { OrganizationStore } from '../organizations/ports.js';
import type { UserStore } from '../scim/ports.js';
import { nameKey } from '../scim/user.js';
import { grantsOfApp } from './app-grants.js';
import { newSecret } from './app-secret.js';
import { appIrn } from './app.js';
import type { App } from './app.js';
import { newApp } from './new-app.js';
import type { AppStore } from './ports.js';

type NewApp = Pick<App, '_name' | '_userType' | '_orgId' | '_redirectUris' | '_whitelistedApps' | '_configs'> & {
  /** The name by default. */
  _shortName?: string;
  /** E-mail address. */
  _appOwner: string;
};

interface Deps {
  appStore: AppStore;
  userStore: UserStore;
  organizationStore: OrganizationStore;
  grants: GrantSource;
  newId: () => string;
  secretKey: Buffer;
}

export type Apps = ReturnType<typeof createApps>;

export function createApps({ appStore, userStore, organizationStore, grants, newId, secretKey }: Deps) {
  async function assertMayManage(orgId: string, access: Access): Promise<void> {
    if (access.principal.kind === 'app' && (await organizationOf(access)) !== orgId) throw errors.foreignOrganization();
    if (!(await organizationStore.find(orgId))) throw errors.unknownOrganization();
  }

  /** The organization that a caller manages: its app's own. @throws forbidden when the app no longer exists */
  async function organizationOf({ principal }: Access): Promise<string> {
    const app = await appStore.find(principal.appId);
    if (!app) throw commonErrors.forbidden();
    return app._orgId;
  }

  async function maySee(app: App, access: Access): Promise<boolean> {
    const { kind } = access.principal;
    if (kind === 'admin' || (await access.may('READ', appIrn(app._id), app._namespaces))) return true;
    return kind === 'app' && (await organizationOf(access)) === app._orgId;
  }

  return {
    organizationOf,
    /**
     * Creates an app with its own namespace, in which it may do everything. Its owner may do everything with the app.
     * @returns the app and its secret, which is not stored
     * @throws unknownOwner, unknownOrganization, foreignOrganization, shortNameTaken
     */
    async create({ _appOwner, ...wanted }: NewApp, access: Access): Promise<{ app: App; secret: string }> {
      await assertMayManage(wanted._orgId, access);
      const owner = await userStore.findByEmail(wanted._orgId, nameKey(_appOwner));
      if (!owner) throw errors.unknownOwner();
      const shortName = wanted._shortName ?? wanted._name;
      if (await appStore.hasShortName(shortName)) throw errors.shortNameTaken();

      const secret = newSecret();
      const ids = { _id: newId(), _ownerId: owner._id, createdById: access.principal.id };
      const app = newApp({ ...wanted, ...ids, _shortName: shortName, secret }, secretKey);
      // Permissions come first: if the insert fails, they refer to an app and a namespace that will never exist.
      await grants.grant(grantsOfApp(app));
      await appStore.insert(app);
      return { app, secret };
    },
    /** @throws notFound when the app does not exist or the caller may not see it */
    async get(id: string, access: Access): Promise<App> {
      const app = await appStore.find(id);
      if (!app || !(await maySee(app, access))) throw commonErrors.notFound();
      return app;
    },
    /** Writes the permissions of apps that the migration created before objectmodelsvc could accept them. @returns how many */
    async writePendingGrants(): Promise<number> {
      const pending = await appStore.listPendingGrants();
      for (const app of pending) {
        await grants.grant(grantsOfApp(app));
        await appStore.clearPendingGrants(app._id);
      }
      return pending.length;
    },
  };
}
