import type { Grant, PermissionEntry, Subject } from '@dtplatform/contracts';

/** Where grants are kept. objectmodelsvc has them in its database, all others ask objectmodelsvc. */
export interface GrantSource {
  /** All grants of a subject in a namespace, those of its groups included. */
  grantsOf(subject: Subject, namespace: string): Promise<Grant[]>;
  /** The namespaces in which a subject, or a group of it, holds any permission. */
  namespacesOf(subject: Subject): Promise<string[]>;
  /** Writes permissions on behalf of the platform itself. They hold when this returns. */
  grant(entries: PermissionEntry[]): Promise<void>;
}
