import { isTimeLimitExceeded, mongoErrors, MongoServerError, NOTHING } from '@dtplatform/mongo';
import type { Filter } from '@dtplatform/mongo';
import { errors } from '../errors.js';
import type { Expression, Test } from './expression.js';
import type { Projection } from './parse-query.js';
import { PLATFORM } from './paths.js';

/** Translates the tests of one field into a filter on stored documents. */
export type FieldFilter = (path: string, tests: Test[]) => Filter;

export function toFilter(expression: Expression, field: FieldFilter): Filter {
  if (expression.kind === 'field') return field(expression.path, expression.tests);
  if (expression.kind === 'text') return { $text: expression.search };
  if (expression.parts.length === 0) return {};
  return { [`$${expression.kind}`]: expression.parts.map((part) => toFilter(part, field)) };
}

/** For documents that are stored in the form callers see. */
export const plainField: FieldFilter = (path, tests) => ({ [path]: operatorsOf(tests) });

/** A reserved field that no document has. Tests of hidden fields use it, so that they behave as missing fields. */
export const NO_FIELD = `${PLATFORM}.none`;

/** For documents with hidden fields. */
const fieldWithout =
  (...hidden: string[]): FieldFilter =>
  (path, tests) =>
    plainField(hidden.includes(path.split('.', 1)[0]!) ? NO_FIELD : path, tests);

/** The tests of a field in MongoDB's notation. */
export const operatorsOf = (tests: Test[]): Filter => Object.assign({}, ...tests.map(operatorOf)) as Filter;

function operatorOf(test: Test): Filter {
  if ('value' in test) return { [test.operator]: test.value };
  switch (test.operator) {
    case '$regex':
      return { $regex: test.pattern, $options: test.options };
    case '$not':
      return { $not: operatorsOf(test.tests) };
    case '$all':
      return { $all: test.entries.map(entryOfAll) };
    case '$elemMatch':
      return { $elemMatch: 'query' in test ? toFilter(test.query, plainField) : operatorsOf(test.tests) };
  }
}

const entryOfAll = (entry: Test): unknown => (entry.operator === '$eq' ? entry.value : operatorOf(entry));

const VERSIONS = '_versions';

/**
 * The part of a path inside a version; undefined for a field of the item. `_versions._userData.a` gives `_userData.a`,
 * and `_versions` gives `''`. `_versions.0` is the latest version, as in responses.
 * @throws 400 for other positions
 */
function insideVersion(path: string): string | undefined {
  if (path === VERSIONS) return '';
  if (!path.startsWith(`${VERSIONS}.`)) return undefined;
  const [first = '', ...rest] = path.slice(VERSIONS.length + 1).split('.');
  if (!/^\d+$/.test(first)) return [first, ...rest].join('.');
  if (first !== '0') throw errors.invalidQuery({ message: 'The only position in _versions that can be queried is 0.' });
  return rest.join('.');
}

/** The path of the tip in a stored item. */
const TIP = '_tip';

const HIDDEN = [TIP, '_home', '_revision'];

/** Maps a path in the response to its stored path. */
export function storedPath(path: string): string {
  const inside = insideVersion(path);
  if (inside !== undefined) return inside === '' ? TIP : `${TIP}.${inside}`;
  return HIDDEN.includes(path.split('.', 1)[0]!) ? NO_FIELD : path;
}

/** A filter on stored items in which `_versions` holds only the tip. */
export const tipFilter = (where: Expression): Filter => toFilter(where, tipField);

const tipField: FieldFilter = (path, tests) =>
  insideVersion(path) === '' ? { $and: tests.map(testOfTheOnlyVersion) } : { [storedPath(path)]: operatorsOf(tests) };

/** Translates a test of `_versions` itself (an array with one element) into a test of the tip. */
function testOfTheOnlyVersion(test: Test): Filter {
  if (test.operator === '$not') return { $nor: [{ $and: test.tests.map(testOfTheOnlyVersion) }] };
  if (test.operator === '$elemMatch' && 'query' in test) return inTip(test.query);
  if (test.operator === '$size') return test.value === 1 ? {} : NOTHING;
  if (test.operator === '$exists') return test.value ? {} : NOTHING;
  throw unsupportedOnVersions();
}

const inTip = (query: Expression) => toFilter(query, (path, tests) => ({ [`${TIP}.${path}`]: operatorsOf(tests) }));

/** Older versions are stored with their item's namespaces, which callers do not see. */
const olderField = fieldWithout('_namespaces');

/** Items with a matching older version. The store fills `ids` before it uses the filter. */
export interface OlderMatch {
  /** On stored older versions. */
  filter: Filter;
  ids: string[];
}

/**
 * A filter on stored items in which `_versions` holds all versions. As with arrays in MongoDB, a condition on versions
 * holds if any version meets it. `older` lists the queries on older versions that it depends on.
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
    throw unsupportedOnVersions();
  }

  return { filter: toFilter(where, field), older };
}

/** The tests whose conjunction a negative test negates; undefined for a positive test. */
function opposite(test: Test): Test[] | undefined {
  if (test.operator === '$not') return test.tests;
  if (test.operator === '$ne') return [{ operator: '$eq', value: test.value }];
  if (test.operator === '$nin') return [{ operator: '$in', value: test.value }];
  if (test.operator === '$exists' && !test.value) return [{ operator: '$exists', value: true }];
  return undefined;
}

const unsupportedOnVersions = () =>
  errors.invalidQuery({
    message: '_versions itself supports only $elemMatch, $size, $exists and $not; or query a field in it.',
  });

type Fields = Record<string, 0 | 1>;

/** A MongoDB projection that never includes the `hidden` fields. */
export function fieldsOf(projection: Projection | undefined, hidden: readonly string[] = []): Fields | undefined {
  const { kind, paths, withId }: Projection = projection ?? { kind: 'without', paths: [], withId: true };
  const visible = paths.filter((path) => !hidden.some((name) => path === name || path.startsWith(`${name}.`)));
  const fields: Fields =
    kind === 'only'
      ? { _id: withId ? 1 : 0, ...flagged(visible, 1) }
      : { ...(withId ? {} : { _id: 0 }), ...flagged([...visible, ...hidden], 0) };
  return Object.keys(fields).length > 0 ? fields : undefined;
}

const flagged = (paths: string[], flag: 0 | 1): Fields => Object.fromEntries(paths.map((path) => [path, flag]));

/** A projection of items in terms of stored fields. It keeps the id, which is needed to find older versions. */
export const itemProjection = ({ kind, paths }: Projection): Projection => ({
  kind,
  paths: paths.map(storedPath),
  withId: true,
});

/** The projection of an item's versions: `'all'`, none (undefined), or some fields. */
export function versionProjection(projection: Projection | undefined): Projection | 'all' | undefined {
  if (!projection) return 'all';
  const isOnly = projection.kind === 'only';
  const inside = projection.paths.map(insideVersion).filter((path) => path !== undefined);
  if (inside.includes('')) return isOnly ? 'all' : undefined;
  if (inside.length === 0) return isOnly ? undefined : 'all';
  const paths = inside.filter((path) => path !== '_id');
  return { kind: projection.kind, paths, withId: inside.includes('_id') === isOnly };
}

/** Whether a projection keeps a whole field. */
export const keeps = ({ kind, paths }: Projection, path: string): boolean => paths.includes(path) === (kind === 'only');

/** IndexNotFound, and `$text` where a text index cannot be used. */
const TEXT_INDEX_CODES = new Set([27, 17313]);

/** Runs a caller's query and maps MongoDB's errors to a 400. */
export async function mapQueryErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (isTimeLimitExceeded(error)) throw errors.queryTooSlow({ cause: error });
    if (!(error instanceof MongoServerError) || mongoErrors(error)) throw error;
    if (TEXT_INDEX_CODES.has(Number(error.code))) throw errors.textIndexMissing({ cause: error });
    throw errors.invalidQuery({ cause: error });
  }
}
