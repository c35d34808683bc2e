import type { Filter, Mongo } from '@dtplatform/mongo';
import type { Expression } from '../../domain/query/expression.js';
import type { SortOrder } from '../../domain/query/sort-order.js';
import type { Readable } from '../../domain/relateditems/ports.js';
import { readIndexes } from '../indexes/index-store.js';
import { indexedQuery } from '../indexes/indexed-query.js';
import { plainField, toFilter } from '../query/plain-filter.js';
import { IN_ITEM, IN_VERSION } from './related-item.model.js';

/**
 * A caller's query in one version of a collection. It uses the indexes of the collection.
 * @throws 400 for a text search without a text index
 */
export async function relatedItemQuery(
  mongo: Mongo,
  { owner: { item, version }, allowed }: Readable,
  where: Expression | undefined,
  sort: SortOrder = [],
): Promise<{ filter: Filter; sort: SortOrder }> {
  const own = { [IN_ITEM]: item._id, [IN_VERSION]: version._id };
  const indexes = where || sort.length > 0 ? await readIndexes(mongo, [item._id]) : [];
  const indexed = indexedQuery(indexes, where, sort);
  const conditions = [
    ...indexed.conditions,
    ...(allowed === 'all' ? [] : [{ $or: allowed }]),
    ...(where ? [toFilter(where, plainField)] : []),
  ];
  return { filter: conditions.length === 0 ? own : { $and: [own, ...conditions] }, sort: indexed.sort };
}
