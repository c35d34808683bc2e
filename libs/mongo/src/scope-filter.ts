import type { Scope } from '@dtplatform/permissions';
import { oneOf } from './filters.js';

/** A filter for stored documents. */
export type Filter = Record<string, unknown>;

/** Matches no document. */
export const NOTHING: Filter = Object.freeze({ _id: oneOf([]) });

/**
 * The filter of what a caller may see: all in some namespaces, single resources in others, and what matches criteria. An
 * empty scope matches nothing.
 * @param idFields where the documents name the resource that permissions know: by default their own `_id`; with several,
 * one of them is enough
 * @param namespaces where the documents have the namespaces in which permissions count: by default all of theirs
 */
export function scopeFilter(scope: Scope, idFields: readonly string[] = ['_id'], namespaces = '_namespaces'): Filter {
  if (scope === 'everything') return {};
  const filters = scope.some.flatMap(({ namespace, ids }) =>
    idFields.map((field): Filter => ({ [namespaces]: namespace, [field]: oneOf(ids) })),
  );
  for (const { namespace, criteria, ids } of scope.matching ?? []) {
    const named = ids === '*' ? {} : { _id: oneOf(ids) };
    filters.push({ [namespaces]: namespace, ...named, ...criteria });
  }
  const [namespace, ...others] = scope.all;
  if (namespace !== undefined) {
    filters.push({ [namespaces]: others.length === 0 ? namespace : oneOf(scope.all) });
  }
  return filters.length > 1 ? { $or: filters } : (filters[0] ?? NOTHING);
}
