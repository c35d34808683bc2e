import type { Listing, Paging, PermissionEntry, Precondition, Subject } from '@dtplatform/contracts';
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
export interface PermissionStore extends Omit<GrantSource, 'removeUser' | 'removeApp' | 'removeProfile'> {
  /**
   * Runs `work` in one transaction. It may run several times, and must not run operations in parallel.
   * @param afterCommit runs at the same time as what else follows the commit
   */
  change<T>(work: (changes: PermissionChanges) => Promise<T>, afterCommit?: (result: T) => Promise<void>): Promise<T>;
  find(id: string): Promise<Permission | undefined>;
  list(query: PermissionQuery, paging: Paging): Promise<Listing<Permission>>;
  /** The records with one of the patterns that a subject or one of its groups holds in a namespace. */
  heldOn(patterns: string[], subject: Subject, namespace: string): Promise<Permission[]>;
  hasGroup(id: string): Promise<boolean>;
  hasMembers(groupId: string): Promise<boolean>;
  /** Those of the subjects that may have been deleted in the last minute: their tokens are refused, or they are groups. */
  suspects(subjects: Subject[]): Promise<Subject[]>;
}

/** What one transaction reads and writes. */
export interface PermissionChanges {
  /** The stored records that the entries would replace. */
  replacedBy(entries: PermissionEntry[]): Promise<Permission[]>;
  find(id: string): Promise<Permission | undefined>;
  /**
   * The records with `*` on `*:*:*` of a namespace, or as many of them as one request can take away and one more. Of
   * transactions that ask for the same namespace, each sees what the one before has written.
   */
  owners(namespace: string): Promise<PermissionEntry[]>;
  /** How many records with criteria a subject has in a namespace. */
  countLimited(namespace: string, user: Subject): Promise<number>;
  /** Records of a subject itself in the order of their ids, those after one. */
  ofSubject(subject: Subject, after: string, limit: number): Promise<Permission[]>;
  /** Records on exactly this resource name in the order of their ids, those after one. */
  onResource(irn: string, namespaces: string[], after: string, limit: number): Promise<Permission[]>;
  /** @param replaced the stored records that the entries replace */
  put(entries: PermissionEntry[], replaced: PermissionEntry[], byId: string): Promise<WrittenPermission[]>;
  /** @returns the removed permission; undefined when it is already gone. @throws 412 when its revision does not match */
  remove(permission: Permission, byId: string, precondition: Precondition): Promise<Permission | undefined>;
  removeAll(permissions: Permission[]): Promise<void>;
}

/** Looks subjects up. */
export interface Subjects {
  /** @param options.now does without what was known before; otherwise the answer about a user may be a minute old */
  exists(subject: Subject, options?: { now?: boolean }): Promise<boolean>;
}
