import mongoose from 'mongoose';
import type { Scope } from '@dtplatform/permissions';

/**
 * Marks operators in a filter as made by a store: `{ _tags: trusted({ $all: tags }) }`. Elsewhere in a filter they come
 * from a caller, and Mongoose compares with them as plain values (`sanitizeFilter`). For the usual operators there are the
 * functions below: `{ _id: oneOf(ids), dueAt: notAfter(now) }`.
 */
export const trusted = <T extends object>(operators: T): T => mongoose.trusted(operators as never);

/** Matches a field that is one of the values, or an array that holds one of them. */
export const oneOf = <T>(values: readonly T[] | ReadonlySet<T>) => trusted({ $in: [...values] });

/** Matches a field that is none of the values. */
export const noneOf = <T>(values: readonly T[] | ReadonlySet<T>) => trusted({ $nin: [...values] });

/** Matches a field that is not the value, also one that is absent. */
export const not = <T>(value: T) => trusted({ $ne: value });

/** Matches what comes before the value: earlier times, lower numbers, texts that sort before it. */
export const before = <T>(value: T) => trusted({ $lt: value });

/** Matches what comes before the value, and the value. */
export const notAfter = <T>(value: T) => trusted({ $lte: value });

/** Matches what comes after the value: later times, higher numbers, texts that sort after it. */
export const after = <T>(value: T) => trusted({ $gt: value });

/** Matches a field that is present, whatever its value. */
export const exists = () => trusted({ $exists: true });

/** Matches a field that is not present. */
export const absent = () => trusted({ $exists: false });

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
