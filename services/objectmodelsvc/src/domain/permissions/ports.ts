import type { PermissionEntry, Subject } from '@dtplatform/contracts';
import type { GrantSource } from '@dtplatform/permissions';
import type { Listing, Paging, Precondition } from '@dtplatform/resource';
import type { Permission, WrittenPermission } from './permission.js';

export interface PermissionQuery {
  namespace: string;
  irn: string;
  user: Subject;
  /** Also finds records whose pattern covers `irn`, and records that `irn` covers if it is a pattern. */
  patternMatch: boolean;
}

/** Stores permissions. A write takes effect in every service before it returns. */
export interface PermissionStore extends GrantSource {
  put(entries: PermissionEntry[], byId: string): Promise<WrittenPermission[]>;
  find(id: string): Promise<Permission | undefined>;
  list(query: PermissionQuery, paging: Paging): Promise<Listing<Permission>>;
  /** @returns the removed permission; undefined when it is already gone. @throws 412 when its revision does not match */
  remove(permission: Permission, precondition: Precondition): Promise<Permission | undefined>;
}

/** Looks users up. */
export interface Subjects {
  exists(subject: Subject): Promise<boolean>;
}
