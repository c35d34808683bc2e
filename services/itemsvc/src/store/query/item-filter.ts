import { NOTHING } from '@dtplatform/mongo';
import type { Filter } from '@dtplatform/mongo';
import type { Expression, Test } from '../../domain/query/expression.js';
import { errors } from '../../errors.js';
import { fieldWithout, operatorsOf, toFilter } from './plain-filter.js';
import type { FieldFilter } from './plain-filter.js';
import { insideVersion, storedPath, TIP } from './version-path.js';

/** A filter for stored items, where `_versions` of a shown item holds the tip alone. */
export const tipFilter = (where: Expression): Filter => toFilter(where, tipField);

const tipField: FieldFilter = (path, tests) =>
  insideVersion(path) === '' ? { $and: tests.map(testOfTheOnlyVersion) } : { [storedPath(path)]: operatorsOf(tests) };

/** What a test of `_versions` itself, an array of one, asks of the tip. */
function testOfTheOnlyVersion(test: Test): Filter {
  if (test.operator === '$not') return { $nor: [{ $and: test.tests.map(testOfTheOnlyVersion) }] };
  if (test.operator === '$elemMatch' && 'query' in test) return inTip(test.query);
  if (test.operator === '$size') return test.value === 1 ? {} : NOTHING;
  if (test.operator === '$exists') return test.value ? {} : NOTHING;
  throw notOfVersions();
}

const inTip = (query: Expression) => toFilter(query, (path, tests) => ({ [`${TIP}.${path}`]: operatorsOf(tests) }));

/** Older versions are stored with the namespaces of their item, which are not part of a version. */
const olderField = fieldWithout('_namespaces');

/** Ids of items of which an older version matches; the store finds them before the filter is used. */
export interface OlderMatch {
  /** For stored older versions. */
  filter: Filter;
  ids: string[];
}

/**
 * A filter for stored items, where `_versions` holds all versions: a condition on versions holds when it holds for any of
 * them, as conditions on arrays do. What must be known of older versions is in `older`.
 */
export function allVersionsFilter(where: Expression): { filter: Filter; older: OlderMatch[] } {
  const older: OlderMatch[] = [];
  const anyVersion = (ofTip: Filter, filter: Filter): Filter => {
    const match: OlderMatch = { filter, ids: [] };
    older.push(match);
    return { $or: [ofTip, { _id: { $in: match.ids } }] };
  };
  const hasOne = (inside: string, test: Test): Filter =>
    anyVersion({ [`${TIP}.${inside}`]: operatorsOf([test]) }, olderField(inside, [test]));

  const field: FieldFilter = (path, tests) => {
    const inside = insideVersion(path);
    if (inside === undefined) return { [storedPath(path)]: operatorsOf(tests) };
    const testOne = inside === '' ? testOfVersions : (test: Test) => testInside(inside, test);
    return { $and: tests.map(testOne) };
  };

  function testInside(inside: string, test: Test): Filter {
    const positive = opposite(test);
    if (positive) return { $nor: [{ $and: positive.map((one) => testInside(inside, one)) }] };
    if (test.operator !== '$all') return hasOne(inside, test);
    return test.entries.length === 0 ? NOTHING : { $and: test.entries.map((entry) => hasOne(inside, entry)) };
  }

  function testOfVersions(test: Test): Filter {
    if (test.operator === '$not') return { $nor: [{ $and: test.tests.map(testOfVersions) }] };
    if (test.operator === '$elemMatch' && 'query' in test) {
      return anyVersion(inTip(test.query), toFilter(test.query, olderField));
    }
    if (test.operator === '$size') return { _versionsCount: test.value };
    if (test.operator === '$exists') return test.value ? {} : NOTHING;
    throw notOfVersions();
  }

  return { filter: toFilter(where, field), older };
}

/** The tests that must not all hold of the versions, for a test that says so; undefined for one that asks for a match. */
function opposite(test: Test): Test[] | undefined {
  if (test.operator === '$not') return test.tests;
  if (test.operator === '$ne') return [{ operator: '$eq', value: test.value }];
  if (test.operator === '$nin') return [{ operator: '$in', value: test.value }];
  if (test.operator === '$exists' && !test.value) return [{ operator: '$exists', value: true }];
  return undefined;
}

const notOfVersions = () =>
  errors.invalidQuery({
    message: '_versions itself takes $elemMatch, $size, $exists and $not; or name a field in it.',
  });
