import type { PermissionEntry, Subject } from '@dtplatform/contracts';
import type { Paging } from '@dtplatform/http';
import type { GrantSource } from '@dtplatform/permissions';
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
  list(query: PermissionQuery, paging: Paging): Promise<{ list: Permission[]; total: number }>;
  remove(permission: Permission): Promise<void>;
}

/** Looks users up. */
export interface Subjects {
  exists(subject: Subject): Promise<boolean>;
}
