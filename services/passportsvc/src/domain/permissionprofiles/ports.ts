import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import type { Scope } from '@dtplatform/permissions';
import type { Deletion } from '../deletions/deletion.js';
import type { PermissionProfile } from './permission-profile.js';

export interface PermissionProfileQuery {
  visible: Scope;
  /** Accepted names. */
  names?: string[];
}

export interface PermissionProfileStore {
  find(id: string): Promise<PermissionProfile | undefined>;
  list(query: PermissionProfileQuery, paging: Paging): Promise<Listing<PermissionProfile>>;
  /** Inserts all or none. */
  insertAll(profiles: PermissionProfile[]): Promise<void>;
  /** Deletes a profile and records what follows. @returns that; undefined when it no longer exists. @throws 412 */
  remove(id: string, precondition: Precondition): Promise<Deletion | undefined>;
}
