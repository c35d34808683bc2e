import type { Filter } from '@dtplatform/mongo';
import { isText } from '../../domain/indexes/related-index.js';
import type { RelatedIndex } from '../../domain/indexes/related-index.js';
import type { Expression, Test } from '../../domain/query/expression.js';
import type { SortOrder } from '../../domain/query/sort-order.js';
import { errors } from '../../errors.js';
import { operatorsOf } from '../query/plain-filter.js';
import { INDEXED } from '../relateditems/related-item.model.js';
import { OTHER, placeOf } from './indexed-values.js';

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
