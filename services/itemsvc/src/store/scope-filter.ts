import type { Scope } from '@dtplatform/permissions';
import type { Filter } from '../domain/query/plain-filter.js';

/**
 * What a caller may see, as a filter; undefined when that is nothing.
 * @param idField where the documents name the resource that permissions know
 */
export function scopeFilter(scope: Scope, idField = '_id'): Filter | undefined {
  if (scope === 'everything') return {};
  const { all, some } = scope;
  const filters: Filter[] = some.map(({ namespace, ids }) => ({ _namespaces: namespace, [idField]: { $in: ids } }));
  if (all.length > 0) filters.push({ _namespaces: all.length === 1 ? all[0] : { $in: all } });
  return filters.length > 1 ? { $or: filters } : filters[0];
}
