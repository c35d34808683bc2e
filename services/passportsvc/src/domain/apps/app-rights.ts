import type { Action } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { appIrn } from './app.js';
import type { App } from './app.js';
import type { AppStore, VisibleApps } from './ports.js';

/**
 * What callers may do with apps. Administrators and owners may do everything, others what permissions allow them on the app in
 * its namespaces. The token of an app also sees the apps of its organization.
 */
export function createAppRights(appStore: AppStore) {
  /** The organization that a caller manages: its app's own. @throws forbidden when the app no longer exists */
  async function organizationOf({ principal }: Access): Promise<string> {
    const app = await appStore.find(principal.appId);
    if (!app) throw commonErrors.forbidden();
    return app._orgId;
  }

  const may = (action: Action, app: App, access: Access) => access.may(action, appIrn(app._id), app._namespaces);

  async function maySee(app: App, access: Access): Promise<boolean> {
    if (mayDoAnything(app, access) || (await may('READ', app, access))) return true;
    return access.principal.kind === 'app' && (await organizationOf(access)) === app._orgId;
  }

  return {
    organizationOf,
    /**
     * Returns the app if the caller may do one of the actions with it.
     * @throws notFound when it is missing or the caller may not see it; forbidden
     */
    async require(actions: Action[], app: App | undefined, access: Access): Promise<App> {
      if (!app || !(await maySee(app, access))) throw commonErrors.notFound();
      if (actions.includes('READ') || mayDoAnything(app, access)) return app;
      for (const action of actions) if (await may(action, app, access)) return app;
      throw commonErrors.forbidden();
    },
    async visibleTo(access: Access): Promise<VisibleApps> {
      const { kind, id } = access.principal;
      if (kind === 'admin' || kind === 'trusted') return 'everything';
      const scope = await access.scope('READ', 'passportsvc:app');
      return kind === 'app' ? { scope, orgId: await organizationOf(access) } : { scope, ownerId: id };
    },
  };
}

function mayDoAnything(app: App, { principal: { kind, id } }: Access): boolean {
  return kind === 'admin' || (kind === 'user' && app._ownerId === id);
}
