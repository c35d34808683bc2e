import type { Action } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../../errors.js';
import { appIrn } from './app.js';
import type { App } from './app.js';
import type { VisibleApps } from './apps.js';
import type { AppStore } from './apps.store.js';

/**
 * Permissions on apps. Administrators and owners may do everything; others need permissions on the app in its
 * namespaces. An app's token also sees the apps of its organization. Only administrators and trusted clients change a
 * trusted app: its redirect URIs decide who receives administrators' tokens.
 */
export function createAppRights(appStore: AppStore) {
  async function organizationOf({ principal }: Access): Promise<string> {
    const app = await appStore.find(principal.appId);
    if (!app) throw commonErrors.forbidden({ message: 'The user or application of the token no longer exists.' });
    return app._orgId;
  }

  const may = (action: Action, app: App, access: Access) => access.may(action, appIrn(app._id), app._namespaces);

  async function mayOne(actions: Action[], app: App, access: Access): Promise<boolean> {
    for (const action of actions) if (await may(action, app, access)) return true;
    return false;
  }

  async function maySee(app: App, access: Access): Promise<boolean> {
    if (mayDoAnything(app, access) || (await may('READ', app, access))) return true;
    return access.principal.kind === 'app' && (await organizationOf(access)) === app._orgId;
  }

  return {
    organizationOf,
    /**
     * Returns the app if the caller may perform one of the actions.
     * @throws notFound when it is missing or hidden from the caller; forbidden, trustedApp
     */
    async require(actions: Action[], app: App | undefined, access: Access): Promise<App> {
      if (!app || !(await maySee(app, access))) throw commonErrors.notFound();
      if (actions.includes('READ')) return app;
      if (!mayDoAnything(app, access) && !(await mayOne(actions, app, access)))
        throw await access.refusal(actions[0]!, appIrn(app._id), app._namespaces);
      if (app._trusted && !mayChangeTrusted(access)) throw errors.trustedApp();
      return app;
    },
    async visibleTo(access: Access): Promise<VisibleApps> {
      const { kind, id } = access.principal;
      if (kind === 'admin' || kind === 'trusted') return 'everything';
      const scope = await access.scope('READ', 'passportsvc:app');
      return kind === 'app' ? { scope, orgId: await organizationOf(access) } : { scope, ownerId: id };
    },
  };
}

export const mayChangeTrusted = ({ principal: { kind } }: Access): boolean => kind === 'admin' || kind === 'trusted';

function mayDoAnything(app: App, { principal: { kind, id } }: Access): boolean {
  return kind === 'admin' || (kind === 'user' && app._ownerId === id);
}
