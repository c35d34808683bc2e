import type { Filter } from '@dtplatform/mongo';
import { keysOf } from '../../domain/scim/attributes.js';
import type { AttributePath } from '../../domain/scim/attributes.js';
import type { Comparable, Comparison, ScimFilter } from '../../domain/scim/filter/filter.js';

/** Where attributes are stored that have an index of their own, and a place that documents of all versions have. */
const PLACES: Record<string, string> = {
  id: '_id',
  userName: '_userNameKey',
  externalId: 'externalId',
  active: 'active',
  'meta.created': '_createdAt',
  'meta.lastModified': '_updatedAt',
};

/** The stored path of an attribute in comparable form. */
export function placeOf(path: AttributePath): string {
  const name = keysOf(path).join('.');
  return PLACES[name] ?? `_search.${name}`;
}

type Place = (path: AttributePath) => string;

/**
 * A text as it is, in a regular expression. Libraries escape hyphens, too; for MongoDB, the beginning that it looks up in an
 * index would end there. It takes no NUL characters.
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
 * The condition for MongoDB, to be used as it is. Its operators are from here, and values of callers are texts, numbers and
 * booleans, so they cannot become operators.
 */
export const userFilter = (filter: ScimFilter): Filter => conditionOf(filter, placeOf);

function conditionOf(filter: ScimFilter, place: Place): Filter {
  switch (filter.op) {
    case 'and':
      return { $and: filter.filters.map((one) => conditionOf(one, place)) };
    case 'or':
      return { $or: filter.filters.map((one) => conditionOf(one, place)) };
    case 'not':
      return { $nor: [conditionOf(filter.filter, place)] };
    case 'any':
      return { [place(filter.path)]: { $elemMatch: conditionOf(filter.filter, inValue) } };
    case 'pr':
      return { [place(filter.path)]: { $exists: true } };
    case 'ne':
      return differs(filter.path, filter.value, place);
    case 'eq':
    case 'co':
    case 'sw':
    case 'ew':
    case 'gt':
    case 'ge':
    case 'lt':
    case 'le':
      return { [place(filter.path)]: OPERATORS[filter.op](filter.value) };
  }
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
