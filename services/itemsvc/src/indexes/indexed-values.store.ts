import { BSON } from '@dtplatform/mongo';
import type { Filter } from '@dtplatform/mongo';
import { errors } from '../errors.js';
import type { Expression, Test } from '../query/expression.js';
import { operatorsOf } from '../query/filters.store.js';
import type { SortOrder } from '../query/parse-query.js';
import { INDEXED } from '../relateditems/related-item.model.js';
import { isText } from './related-index.js';
import type { RelatedIndex } from './related-index.js';

/** The index entries stored with a related item, for MongoDB's own indexes. Hidden from callers. */
export type Indexed = Record<string, { i: string; v?: unknown }>;

/** Marks a value that is not indexed. It equals no text, number or boolean, and sorts after all of them. */
export const OTHER = new BSON.MaxKey();

/** Longer texts are not indexed. */
const MAX_TEXT_LENGTH = 512;
/** Characters per related item; text beyond is not searchable. */
const MAX_SEARCHED_LENGTH = 32 * 1024;

/** The path of an index below `INDEXED`. */
export const placeOf = (index: Pick<RelatedIndex, 'slot'>): string =>
  index.slot === undefined ? 't' : `s${index.slot}`;

/** The entry of a related item in an index. */
export function valueFor(index: Pick<RelatedIndex, '_id' | 'fields'>, row: object): { i: string; v?: unknown } {
  if (isText(index)) return { i: index._id, v: textsOf(index, row) };
  const value = simpleAt(row, index.fields[0]!.path);
  return value === undefined ? { i: index._id } : { i: index._id, v: value };
}

/** The entries of a related item in all indexes. `mixed`: indexes that now have a value which is not indexed. */
export function indexedOf(indexes: readonly RelatedIndex[], row: object): { indexed?: Indexed; mixed: RelatedIndex[] } {
  if (indexes.length === 0) return { mixed: [] };
  const values = indexes.map((index) => [index, valueFor(index, row)] as const);
  return {
    indexed: Object.fromEntries(values.map(([index, value]) => [placeOf(index), value])),
    mixed: values.filter(([index, { v }]) => v === OTHER && !index.isMixed).map(([index]) => index),
  };
}

/**
 * The text, number or boolean at a path; undefined for null or a missing field; `OTHER` for anything else, as in
 * arrays.
 */
function simpleAt(row: object, path: string): unknown {
  let value: unknown = row;
  for (const segment of path.split('.')) {
    if (Array.isArray(value)) return OTHER;
    if (!isPlain(value)) return undefined;
    value = Object.hasOwn(value, segment) ? value[segment] : undefined;
  }
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return typeof value === 'string' && value.length <= MAX_TEXT_LENGTH ? value : OTHER;
}

function textsOf({ fields }: Pick<RelatedIndex, 'fields'>, row: object): string[] {
  const texts: string[] = [];
  let left = MAX_SEARCHED_LENGTH;
  for (const { path } of fields) {
    for (const found of textsAt(row, path.split('.'))) {
      if (left <= 0) return texts;
      texts.push(found.slice(0, left));
      left -= found.length;
    }
  }
  return texts;
}

/** The texts at a path, including those in arrays, as in MongoDB. */
function* textsAt(value: unknown, [segment, ...rest]: string[]): Generator<string> {
  if (Array.isArray(value)) {
    for (const entry of value as unknown[]) {
      if (!Array.isArray(entry)) yield* textsAt(entry, segment === undefined ? [] : [segment, ...rest]);
    }
  } else if (segment === undefined) {
    if (typeof value === 'string') yield value;
  } else if (isPlain(value) && Object.hasOwn(value, segment)) {
    yield* textsAt(value[segment], rest);
  }
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface IndexedQuery {
  /** Necessary but not sufficient: every match meets them, and the query itself still decides. */
  conditions: Filter[];
  sort: SortOrder;
}

/**
 * Translates a query into conditions on indexed values. The conditions are an optimization: they hold for every match,
 * and possibly for others.
 * @throws 400 for a text search without a text index
 */
export function indexedQuery(
  indexes: readonly RelatedIndex[],
  where: Expression | undefined,
  sort: SortOrder,
): IndexedQuery {
  const ready = indexes.filter(({ status }) => status === 'READY');
  const searched = where && hasText(where);
  const text = ready.find(isText);
  if (searched && !text) throw errors.textIndexMissing();
  const implied = where && impliedBy(where, ready);
  const ordering = searched ? undefined : orderingFor(sort, ready);
  return {
    conditions: [
      ...(searched ? [belongsTo(text!)] : []),
      ...(implied ? [implied] : []),
      ...(ordering ? [belongsTo(ordering)] : []),
    ],
    sort: ordering ? [[`${INDEXED}.${placeOf(ordering)}.v`, sort[0]![1]], ...sort.slice(1)] : sort,
  };
}

/** Every related item of a collection has an entry in each READY index. */
const belongsTo = (index: RelatedIndex): Filter => ({ [`${INDEXED}.${placeOf(index)}.i`]: index._id });

/** The index that can provide the sort order. */
function orderingFor(sort: SortOrder, indexes: readonly RelatedIndex[]): RelatedIndex | undefined {
  const [[path] = [undefined], ...others] = sort;
  const isServed =
    others.length === 0 || (others.length === 1 && others[0]![0] === '_id' && others[0]![1] === sort[0]![1]);
  return isServed
    ? indexes.find((index) => index.fields[0]!.path === path && !isText(index) && !index.isMixed)
    : undefined;
}

const hasText = (where: Expression): boolean =>
  where.kind === 'text' || (where.kind === 'and' && where.parts.some(hasText));

function impliedBy(where: Expression, indexes: readonly RelatedIndex[]): Filter | undefined {
  if (where.kind === 'field') {
    const index = indexes.find(({ fields }) => fields[0]!.path === where.path && fields[0]!.kind !== 'text');
    const tests = where.tests.filter(isSimple);
    return index && tests.length > 0 ? { ...belongsTo(index), ...valueIs(index, tests) } : undefined;
  }
  if (where.kind !== 'and' && where.kind !== 'or') return undefined;
  const parts = where.parts.map((part) => impliedBy(part, indexes));
  const known = parts.filter((part) => part !== undefined);
  if (known.length === 0 || (where.kind === 'or' && known.length < parts.length)) return undefined;
  return { [`$${where.kind}`]: known };
}

function valueIs(index: RelatedIndex, tests: Test[]): Filter {
  const place = `${INDEXED}.${placeOf(index)}.v`;
  const value = { $and: tests.map((test) => ({ [place]: operatorsOf([test]) })) };
  return index.isMixed ? { $or: [value, { [place]: OTHER }] } : value;
}

const COMPARISONS = new Set(['$eq', '$gt', '$gte', '$lt', '$lte']);
const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

/** Whether a test on the indexed value is equivalent to the same test on the field. */
function isSimple(test: Test): boolean {
  if (test.operator === '$regex') return test.pattern.startsWith('^');
  if (test.operator === '$in') return (test.value as unknown[]).every(isScalar);
  return 'value' in test && COMPARISONS.has(test.operator) && isScalar(test.value);
}
