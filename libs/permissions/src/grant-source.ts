import type { Grant, GroupMembers, PermissionEntry, Subject } from '@dtplatform/contracts';

/** Where grants are stored: objectmodelsvc reads its own database, all other services ask objectmodelsvc. */
export interface GrantSource {
  /** All grants of a subject in a namespace, including those of its groups. */
  grantsOf(subject: Subject, namespace: string): Promise<Grant[]>;
  /** The namespaces in which a subject, or one of its groups, has any grant. */
  namespacesOf(subject: Subject): Promise<string[]>;
  /** Writes permissions on behalf of the platform itself. They are in effect when this resolves. */
  grant(entries: PermissionEntry[]): Promise<void>;
  /** Says who the members of a group are: what it holds counts for them, and no longer for others, when this resolves. */
  putGroup(id: string, members: GroupMembers): Promise<void>;
  /**
   * Removes what a user who was deleted holds, except where it is the last to hold `*` on `*:*:*` of a namespace. May be
   * repeated.
   */
  removeUser(id: string): Promise<void>;
  /** The same for an app. */
  removeApp(id: string): Promise<void>;
  /**
   * Removes what a permission profile that was deleted holds, as `removeUser` does, and what anybody holds on it in its
   * namespaces. May be repeated.
   */
  removeProfile(id: string, namespaces: string[]): Promise<void>;
  /** Ends all permissions in these namespaces permanently. Nobody has any when this resolves. May be repeated. */
  close(namespaces: string[]): Promise<void>;
}
