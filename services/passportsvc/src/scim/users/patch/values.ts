import { isDeepStrictEqual } from 'node:util';
import { errors } from '../../../errors.js';
import { matchesFilter } from '../filter/filter.js';
import type { ScimFilter } from '../filter/filter.js';
import type { Attribute } from '../schema-types.js';

export type Values = Record<string, unknown>;

/** More than any attribute allows; bounds an operation before its result is validated. */
const MAX_VALUES = 200;

export const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

/** Adds values without duplicates. A new primary value replaces the former one. */
export function addedTo(current: unknown[], added: unknown[]): unknown[] {
  if (current.length + added.length > MAX_VALUES)
    throw errors.invalidValue({ message: 'An attribute has too many values.' });
  const fresh = added.filter((value) => !current.some((known) => isDeepStrictEqual(known, value)));
  return withOnePrimary([...current, ...fresh], fresh);
}

/** Of several primary values the changed one remains primary (RFC 7644, section 3.5.2). */
export function withOnePrimary(values: unknown[], changed: unknown[]): unknown[] {
  const isPrimary = (value: unknown) => isObject(value) && value.primary === true;
  if (!changed.some(isPrimary)) return values;
  return values.map((value) =>
    isPrimary(value) && !changed.includes(value) ? { ...(value as Values), primary: false } : value,
  );
}

export const selects = (filter: ScimFilter | undefined, value: unknown): boolean =>
  !filter || (isObject(value) && matchesFilter(value, filter));

/**
 * The value that an "add" creates when its path's filter matches none: one that satisfies the filter. Undefined when
 * the filter is more than equalities.
 */
export function valueFor(filter: ScimFilter): Values | undefined {
  if (filter.op === 'eq') return { [filter.path[0].name]: filter.value };
  if (filter.op !== 'and') return undefined;
  const parts = filter.filters.map(valueFor);
  return parts.every((part) => part !== undefined) ? (Object.assign({}, ...parts) as Values) : undefined;
}

/** Whether a value has all parts of another one. */
export const hasParts = (value: unknown, parts: unknown): boolean =>
  isObject(value) && isObject(parts)
    ? Object.entries(parts).every(([name, part]) => isDeepStrictEqual(value[name], part))
    : isDeepStrictEqual(value, parts);

/** A copy with one member set, or removed if undefined. */
export function withMember(values: Values, name: string, value: unknown): Values {
  const { [name]: _before, ...rest } = values;
  return value === undefined ? rest : { ...rest, [name]: value };
}

/** Applies a change at the end of a path. */
export function changeAt(values: Values, path: readonly Attribute[], change: (value: unknown) => unknown): Values {
  const [{ name }, ...inner] = path as [Attribute, ...Attribute[]];
  if (inner.length === 0) return withMember(values, name, change(values[name]));
  const within = changeAt(isObject(values[name]) ? values[name] : {}, inner, change);
  return withMember(values, name, Object.keys(within).length > 0 ? within : undefined);
}
