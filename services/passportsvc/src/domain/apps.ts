import { commonErrors } from '@dtplatform/errors';
import type { Access, GrantSource } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { hashSecret, newSecret } from './app-secret.js';
import { appIrn, DEFAULT_GRANT_TYPES } from './app.js';
import type { App } from './app.js';
import { grantsOfApp } from './app-grants.js';
import { newNamespace } from './namespaces.js';
import type { AppStore, OrganizationStore, UserStore } from './ports.js';
import { nameKey } from './user.js';

interface NewApp {
  _name: string;
  _shortName?: string;
  _userType?: string;
  _orgId: string;
  _redirectUris: string;
  _whitelistedApps: string[];
  _configs: Record<string, string>;
  /** E-mail address. */
  _appOwner: string;
}

export interface Apps {
  /**
   * Creates an app with a namespace of its own, in which it may do everything. Its owner may do everything with it.
   * @returns the app and its secret, which is not kept
   * @throws unknownOwner, unknownOrganization, foreignOrganization, shortNameTaken
   */
  create(app: NewApp, access: Access): Promise<{ app: App; secret: string }>;
  /** @throws 404 when it is missing or the caller may not see it */
  get(id: string, access: Access): Promise<App>;
  /** The organization that a caller manages: its app's own. @throws 403 when the app is gone */
  organizationOf(access: Access): Promise<string>;
}

export interface AppsDeps {
  apps: AppStore;
  users: UserStore;
  organizations: OrganizationStore;
  grants: GrantSource;
  newId: () => string;
  secretKey: Buffer;
}

export function createApps(deps: AppsDeps): Apps {
  const { apps, users, organizations, grants, newId, secretKey } = deps;

  async function assertMayManage(orgId: string, access: Access): Promise<void> {
    if (access.principal.kind === 'app' && (await organizationOf(access)) !== orgId) throw errors.foreignOrganization();
    if (!(await organizations.find(orgId))) throw errors.unknownOrganization();
  }

  async function organizationOf({ principal }: Access): Promise<string> {
    const app = await apps.find(principal.appId);
    if (!app) throw commonErrors.forbidden();
    return app._orgId;
  }

  return {
    organizationOf,
    async create({ _appOwner, ...wanted }, access) {
      await assertMayManage(wanted._orgId, access);
      const owner = await users.findByEmail(wanted._orgId, nameKey(_appOwner));
      if (!owner) throw errors.unknownOwner();
      const shortName = wanted._shortName ?? wanted._name;
      if (await apps.hasShortName(shortName)) throw errors.shortNameTaken();

      const secret = newSecret();
      const now = Date.now();
      const app: App = {
        ...wanted,
        _id: newId(),
        _shortName: shortName,
        _authorizedGrantTypes: DEFAULT_GRANT_TYPES,
        _namespaces: [newNamespace(shortName)],
        _metadata: { _createdAt: now, _updatedAt: now, _updatedById: access.principal.id },
        _secretHash: hashSecret(secret, secretKey),
        _ownerId: owner._id,
        _trusted: false,
      };
      // First the permissions: should the insert fail, they are for an app and a namespace that nobody ever has.
      await grants.grant(grantsOfApp(app));
      await apps.insert(app);
      return { app, secret };
    },
    async get(id, access) {
      const app = await apps.find(id);
      if (!app || !(await maySee(app, access))) throw commonErrors.notFound();
      return app;
    },
  };

  async function maySee(app: App, access: Access): Promise<boolean> {
    const { kind } = access.principal;
    if (kind === 'admin' || (await access.may('READ', appIrn(app._id), app._namespaces))) return true;
    return kind === 'app' && (await organizationOf(access)) === app._orgId;
  }
}
