import type { Filter } from '@dtplatform/mongo';
import { ENTERPRISE_SCHEMA, keysOf, USER_SCHEMA } from './attributes.js';
import type { AttributePath } from './attributes.js';
import { TESTS } from './filter/filter.js';
import type { Comparable, Comparison, ScimFilter } from './filter/filter.js';

/** Attributes stored outside `_search`, with their own index. */
const PLACES: Record<string, string> = {
  id: '_id',
  userName: '_userNameKey',
  externalId: 'externalId',
  active: 'active',
  'meta.created': '_createdAt',
  'meta.lastModified': '_updatedAt',
};

/** Attributes that the server generates per response: their values, and which users have them. */
const SHARED: Record<string, { value: string; having: Filter }[]> = {
  schemas: [
    { value: USER_SCHEMA, having: {} },
    { value: ENTERPRISE_SCHEMA, having: { enterprise: { $exists: true } } },
  ],
  'meta.resourceType': [{ value: 'User', having: {} }],
};
const NOBODY: Filter = { _id: { $in: [] } };

export const VERSION = { $concat: ['W/"', { $toString: '$_revision' }, '"'] };
const locationIn = (usersUrl: string) => ({ $concat: [{ $literal: `${usersUrl}/` }, '$_id'] });

/** The stored path of an attribute in comparable form. */
export function placeOf(path: AttributePath): string {
  const name = keysOf(path).join('.');
  return PLACES[name] ?? `_search.${name}`;
}

type Place = (path: AttributePath) => string;
type Compare = Extract<ScimFilter, { value: Comparable }>;

/**
 * Escapes a string for a regular expression. Libraries also escape hyphens, which would end the prefix that MongoDB
 * looks up in an index. Excludes NUL characters.
 */
const escaped = (value: Comparable) =>
  String(value)
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replaceAll('\0', '\\x00');

const pattern = (before: string, value: Comparable, after: string) => ({
  $regex: `${before}${escaped(value)}${after}`,
  $options: 's',
});

const OPERATORS: Record<Comparison, (value: Comparable) => Filter> = {
  eq: (value) => ({ $eq: value }),
  ne: (value) => ({ $ne: value }),
  co: (value) => pattern('', value, ''),
  sw: (value) => pattern('^', value, ''),
  ew: (value) => pattern('', value, '$'),
  gt: (value) => ({ $gt: value }),
  ge: (value) => ({ $gte: value }),
  lt: (value) => ({ $lt: value }),
  le: (value) => ({ $lte: value }),
};

/**
 * The filter as a MongoDB condition. Operators come from here only, and callers' values are scalars, so they cannot
 * become operators.
 */
export const userFilter = (filter: ScimFilter, usersUrl: string): Filter =>
  conditionOf(filter, placeOf, (name) => ({ 'meta.version': VERSION, 'meta.location': locationIn(usersUrl) })[name]);

type Computed = (name: string) => object | undefined;

function conditionOf(filter: ScimFilter, place: Place, computed: Computed): Filter {
  if ('value' in filter) return comparison(filter, place, computed);
  switch (filter.op) {
    case 'and':
      return { $and: filter.filters.map((one) => conditionOf(one, place, computed)) };
    case 'or':
      return { $or: filter.filters.map((one) => conditionOf(one, place, computed)) };
    case 'not':
      return { $nor: [conditionOf(filter.filter, place, computed)] };
    case 'any':
      return { [place(filter.path)]: { $elemMatch: conditionOf(filter.filter, inValue, computed) } };
    case 'pr':
      return isMadeUp(filter.path) ? {} : { [place(filter.path)]: { $exists: true } };
  }
}

/** Present on every user. */
const isMadeUp = ([{ name }]: AttributePath) => name === 'schemas' || name === 'meta';

function comparison({ op, path, value }: Compare, place: Place, computed: Computed): Filter {
  const name = keysOf(path).join('.');
  const expression = computed(name);
  if (expression) return { $expr: compared(expression, OPERATORS[op](value)) };
  if (SHARED[name]) {
    const matching = SHARED[name].filter((one) => TESTS[op](one.value, value)).map(({ having }) => having);
    return matching.length > 0 ? { $or: matching } : NOBODY;
  }
  return op === 'ne' ? differs(path, value, place) : { [place(path)]: OPERATORS[op](value) };
}

function compared(input: object, condition: Filter): object {
  const { $regex: regex, $options: options, ...comparisons } = condition as Record<string, unknown>;
  if (regex !== undefined) return { $regexMatch: { input, regex: { $literal: regex }, options } };
  return Object.fromEntries(
    Object.entries(comparisons).map(([operator, value]) => [operator, [input, { $literal: value }]]),
  );
}

const inValue: Place = (path) => keysOf(path).join('.');

/** A multi-valued attribute differs if one of its values does (RFC 7644, section 3.4.2.2). */
function differs(path: AttributePath, value: Comparable, place: Place): Filter {
  const many = path.findIndex(({ multiValued }) => multiValued);
  if (many < 0) return { [place(path)]: { $ne: value } };
  const outer = path.slice(0, many + 1) as unknown as AttributePath;
  const inner = path.slice(many + 1) as unknown as AttributePath;
  return { [place(outer)]: { $elemMatch: { [inValue(inner)]: { $ne: value } } } };
}
