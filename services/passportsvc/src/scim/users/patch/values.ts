import { isDeepStrictEqual } from 'node:util';
import { errors } from '../../../errors.js';
import { matchesFilter } from '../filter/filter.js';
import type { ScimFilter } from '../filter/filter.js';
import type { Attribute } from '../schema-types.js';

export type Values = Record<string, unknown>;

/** More than any attribute may have: what an operation adds must not grow without end before it is validated. */
const MAX_VALUES = 200;

export const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The values of a multi-valued attribute. */
export const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

/** The values with others added, without repetitions. If a new one is primary, the others no longer are. */
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
 * The value that an "add" creates where the filter of its path matches none: one that has what the filter asks for.
 * Undefined when the filter asks for more than equal parts.
 */
export function valueFor(filter: ScimFilter): Values | undefined {
  if (filter.op === 'eq') return { [filter.path[0].name]: filter.value };
  if (filter.op !== 'and') return undefined;
  const parts = filter.filters.map(valueFor);
  return parts.every((part) => part !== undefined) ? (Object.assign({}, ...parts) as Values) : undefined;
}

/** Whether a value has all the parts that another one has. */
export const hasParts = (value: unknown, parts: unknown): boolean =>
  isObject(value) && isObject(parts)
    ? Object.entries(parts).every(([name, part]) => isDeepStrictEqual(value[name], part))
    : isDeepStrictEqual(value, parts);

/** The object with one member set, or without it for undefined. */
export function withMember(values: Values, name: string, value: unknown): Values {
  const { [name]: _before, ...rest } = values;
  return value === undefined ? rest : { ...rest, [name]: value };
}

/** Applies a change to what the outer attributes of a path lead to. */
export function changeAt(values: Values, path: readonly Attribute[], change: (value: unknown) => unknown): Values {
  const [{ name }, ...inner] = path as [Attribute, ...Attribute[]];
  if (inner.length === 0) return withMember(values, name, change(values[name]));
  const within = changeAt(isObject(values[name]) ? values[name] : {}, inner, change);
  return withMember(values, name, Object.keys(within).length > 0 ? within : undefined);
}
