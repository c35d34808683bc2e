import type { PermissionEntry, Subject } from '@dtplatform/contracts';

/** Permissions to do everything with a resource, or with all that match a pattern, in each of the namespaces. */
export const allOf = (namespaces: string[], _irn: string, _user: Subject): PermissionEntry[] =>
  namespaces.map((_namespace) => ({ _namespace, _resourceDesc: { _irn }, _user, _actions: ['*'] }));
