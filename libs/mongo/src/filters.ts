import mongoose from 'mongoose';
import type { Scope } from '@dtplatform/permissions';

/**
 * Marks operators in a filter as the store's own: `{ _tags: trusted({ $all: tags }) }`. Unmarked operators come from a
 * caller, and Mongoose compares with them as plain values (`sanitizeFilter`). The functions below cover the usual
 * operators: `{ _id: oneOf(ids), dueAt: notAfter(now) }`.
 */
export const trusted = <T extends object>(operators: T): T => mongoose.trusted(operators as never);

/** Matches one of the values, or an array that contains one. */
export const oneOf = <T>(values: readonly T[] | ReadonlySet<T>) => trusted({ $in: [...values] });

/** Matches none of the values. */
export const noneOf = <T>(values: readonly T[] | ReadonlySet<T>) => trusted({ $nin: [...values] });

/** Matches any other value, and absent fields. */
export const not = <T>(value: T) => trusted({ $ne: value });

export const before = <T>(value: T) => trusted({ $lt: value });

export const notAfter = <T>(value: T) => trusted({ $lte: value });

export const after = <T>(value: T) => trusted({ $gt: value });

export const exists = () => trusted({ $exists: true });

export const absent = () => trusted({ $exists: false });

export type Filter = Record<string, unknown>;

export const NOTHING: Filter = Object.freeze({ _id: oneOf([]) });

/**
 * The filter for what a caller may see: everything in some namespaces, single resources in others, and matches of
 * criteria. An empty scope matches nothing.
 * @param idFields the fields with the id of the resource that permissions refer to; one match is enough. Default `_id`
 * @param namespaces the field with the namespaces whose permissions apply. Default `_namespaces`
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
