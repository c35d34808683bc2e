import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';

/** PUT /permissions: grants what can be granted and tells of the rest (contract: Permissions). */
export const putPermissions =
  ({ permissionAdmin }: Deps): Handler<{ body: unknown[] }> =>
  async ({ body, access }) => {
    const { success, failures } = await permissionAdmin.put(body, access);
    return ok({ _offset: 0, _list: { _success: success, _failures: failures } });
  };
