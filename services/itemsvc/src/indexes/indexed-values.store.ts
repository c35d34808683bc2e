import { BSON } from '@dtplatform/mongo';
import type { Filter } from '@dtplatform/mongo';
import { errors } from '../errors.js';
import type { Expression, Test } from '../query/expression.js';
import { operatorsOf } from '../query/filters.store.js';
import type { SortOrder } from '../query/parse-query.js';
import { INDEXED } from '../relateditems/related-item.model.js';
import { isText } from './related-index.js';
import type { RelatedIndex } from './related-index.js';

/** What the database's indexes see of a related item (docs/adr/0064). Not a part of it for anybody else. */
export type Indexed = Record<string, { i: string; v?: unknown }>;

/** Stands for what is not indexed by its value. No text, number or flag equals it, and in order it is behind them. */
export const OTHER = new BSON.MaxKey();

/** Longer texts are not indexed by their value. */
const MAX_TEXT_LENGTH = 512;
/** Of one related item, in characters. The rest of its text is not found. */
const MAX_SEARCHED_LENGTH = 32 * 1024;

/** The field of `INDEXED` that belongs to an index. */
export const placeOf = (index: Pick<RelatedIndex, 'slot'>): string =>
  index.slot === undefined ? 't' : `s${index.slot}`;

/** What an index sees of a related item. */
export function valueFor(index: Pick<RelatedIndex, '_id' | 'fields'>, row: object): { i: string; v?: unknown } {
  if (isText(index)) return { i: index._id, v: textsOf(index, row) };
  const value = simpleAt(row, index.fields[0]!.path);
  return value === undefined ? { i: index._id } : { i: index._id, v: value };
}

/** What all indexes of a collection see of a related item, and those that it is too complex for. */
export function indexedOf(indexes: readonly RelatedIndex[], row: object): { indexed?: Indexed; mixed: RelatedIndex[] } {
  if (indexes.length === 0) return { mixed: [] };
  const values = indexes.map((index) => [index, valueFor(index, row)] as const);
  return {
    indexed: Object.fromEntries(values.map(([index, value]) => [placeOf(index), value])),
    mixed: values.filter(([index, { v }]) => v === OTHER && !index.isMixed).map(([index]) => index),
  };
}

/** The text, number or flag at a path, undefined for null and where nothing is; `OTHER` for anything else, as in arrays. */
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

/** The texts at a path, those in arrays included, as in MongoDB. */
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

/** How a list uses the indexes of its collection. */
export interface IndexedQuery {
  /** What every match has for its indexes; the query itself decides what matches. */
  conditions: Filter[];
  sort: SortOrder;
}

/**
 * What a query means for indexed values. They are only a shortcut: a condition here holds for everything that matches the
 * query, and for more.
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

/** All related items of a collection have a value of each index that is READY. */
const belongsTo = (index: RelatedIndex): Filter => ({ [`${INDEXED}.${placeOf(index)}.i`]: index._id });

/** An index whose order is that of its field. */
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

/** Tests that hold for a simple value if, and only if, they hold for the field that has it. */
function isSimple(test: Test): boolean {
  if (test.operator === '$regex') return test.pattern.startsWith('^');
  if (test.operator === '$in') return (test.value as unknown[]).every(isScalar);
  return 'value' in test && COMPARISONS.has(test.operator) && isScalar(test.value);
}
