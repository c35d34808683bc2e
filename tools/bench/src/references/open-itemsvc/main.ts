import { commonErrors } from '@dtplatform/errors';
import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import type { Access } from '@dtplatform/permissions';
import { serve } from '@dtplatform/service';
import type { createApp } from '../../../../../services/itemsvc/src/app.js';
import type { Config } from '../../../../../services/itemsvc/src/config.js';
import type { createDeps } from '../../../../../services/itemsvc/src/deps.js';

/**
 * itemsvc with authentication off: the same program, except that it reads no token, does not query Redis, and a
 * constant principal may do everything.
 */
interface Itemsvc {
  createApp: typeof createApp;
  Config: typeof Config;
  createDeps: typeof createDeps;
}

const load = (file: string): Promise<unknown> =>
  import(new URL(`../../../../../services/itemsvc/dist/${file}.js`, import.meta.url).href);
const parts = await Promise.all(['app', 'config', 'deps'].map(load));
const itemsvc = Object.assign({}, ...parts) as Itemsvc;

const everybody: Access = {
  principal: {
    ...{ kind: 'trusted', id: 'everybody', name: 'everybody', appId: 'everybody', grantId: undefined },
    ...{ token: '', issuedAtSec: 0, expiresAtSec: Infinity },
  },
  may: async () => true,
  namespaces: async () => 'all',
  scope: async (_action, _type, namespaces) => (namespaces ? { all: namespaces, some: [] } : 'everything'),
  async require(_action, resource) {
    if (!resource) throw commonErrors.notFound();
    return resource;
  },
  requireIn: async () => undefined,
  own: async () => undefined,
};

await runProcess(
  'openitemsvc',
  () => ({ ...loadConfig(itemsvc.Config), MONGO_DB: 'dtplatform_itemsvc' }),
  async (config, context) => {
    const deps = await itemsvc.createDeps(config, context);
    const listener = itemsvc.createApp({ ...deps, authenticate: async () => everybody });
    await serve({ listener, port: config.PORT }, deps);
  },
);
