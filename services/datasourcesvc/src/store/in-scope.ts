import type { Scope } from '@dtplatform/permissions';

/** A filter for what a caller may see. `idField` holds the id that permissions refer to. */
export function inScope(scope: Scope, idField: string): Record<string, unknown> {
  if (scope === 'everything') return {};
  const some = scope.some.map(({ namespace, ids }) => ({ _namespaces: namespace, [idField]: { $in: ids } }));
  const all = { _namespaces: scope.all.length === 1 ? scope.all[0] : { $in: scope.all } };
  if (some.length === 0) return all;
  return { $or: scope.all.length === 0 ? some : [all, ...some] };
}
