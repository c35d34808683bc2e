import { commonErrors } from '@dtplatform/errors';
import { runProcess } from '@dtplatform/lifecycle';
import type { Access } from '@dtplatform/permissions';
import { serve } from '@dtplatform/runtime';
import { itemsvc, itemsvcConfig } from '../itemsvc.js';

/**
 * itemsvc without authentication: the same program, except that it reads no token, does not query Redis, and a constant
 * principal has every permission.
 */
const everybody: Access = {
  principal: {
    ...{ kind: 'user', id: 'everybody', name: 'everybody', appId: 'everybody', grantId: undefined },
    ...{ token: '', issuedAtSec: 0, expiresAtSec: Infinity },
  },
  may: async () => true,
  refusal: async () => commonErrors.forbidden(),
  namespaces: async () => 'all',
  scope: async (_action, _type, namespaces) => (namespaces ? { all: namespaces, some: [] } : 'everything'),
  async require(_action, resource) {
    if (!resource) throw commonErrors.notFound();
    return resource;
  },
  requireIn: async () => undefined,
  related: async () => 'all',
  ownership: async () => [],
  own: async () => undefined,
};

await runProcess('openitemsvc', itemsvcConfig, async (config, context) => {
  const deps = await itemsvc.createDeps(config, context);
  const listener = itemsvc.createApp({ ...deps, authenticate: async () => everybody });
  // It needs no keys and grants of other services.
  const { token_keys: _keys, grants: _grants, ...checks } = deps.checks;
  await serve({ listener, port: config.PORT }, { ...deps, checks });
});
