import type { Listing, Paging } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { PermissionActionKey, ShownPermissionAction } from './permission-action.js';
import type { PermissionActionStore } from './ports.js';

export type PermissionActions = ReturnType<typeof createPermissionActions>;

export const createPermissionActions = ({
  permissionActionStore,
}: {
  permissionActionStore: PermissionActionStore;
}) => ({
  list: (key: Partial<PermissionActionKey>, paging: Paging): Promise<Listing<ShownPermissionAction>> =>
    permissionActionStore.list(key, paging),
  /** Replaces the actions of a pair, or adds it. @throws permissionActionsLimit */
  async put(record: ShownPermissionAction): Promise<ShownPermissionAction> {
    await permissionActionStore.put(record);
    return record;
  },
  /** @throws notFound */
  async remove(key: PermissionActionKey): Promise<void> {
    if (!(await permissionActionStore.remove(key))) throw commonErrors.notFound();
  },
});
