import type { PermissionEntry, Subject } from '@dtplatform/contracts';
import type { Paging } from '@dtplatform/http';
import type { GrantSource } from '@dtplatform/permissions';
import type { Permission, WrittenPermission } from './permission.js';

export interface PermissionQuery {
  namespace: string;
  irn: string;
  user: Subject;
  /** Also records whose pattern covers the name, and those that the given pattern covers. */
  patternMatch: boolean;
}

/** Where permissions are kept. Every write takes effect everywhere before it returns. */
export interface PermissionStore extends GrantSource {
  put(entries: PermissionEntry[], byId: string): Promise<WrittenPermission[]>;
  find(id: string): Promise<Permission | undefined>;
  list(query: PermissionQuery, paging: Paging): Promise<{ list: Permission[]; total: number }>;
  remove(permission: Permission): Promise<void>;
}

/** Tells whether users exist. */
export interface Subjects {
  exists(subject: Subject): Promise<boolean>;
}
