import type { Listing, Paging } from '@dtplatform/contracts';
import type { PermissionActionKey, ShownPermissionAction } from './permission-action.js';

export interface PermissionActionStore {
  list(key: Partial<PermissionActionKey>, paging: Paging): Promise<Listing<ShownPermissionAction>>;
  /** Replaces the actions of a pair, or adds it. @throws permissionActionsLimit */
  put(record: ShownPermissionAction): Promise<void>;
  /** Whether there was one. */
  remove(key: PermissionActionKey): Promise<boolean>;
}
