import type { Filter as MongoFilter } from 'mongodb';
import type { Scope } from '@dtplatform/permissions';
import { findPage } from '@dtplatform/mongo';
import type { Totals } from '@dtplatform/queue';
import { showItem } from '../domain/items/item.js';
import type { Item, ShownItem } from '../domain/items/item.js';
import type { Found, ListQuery } from '../domain/list-query.js';
import type { Expression } from '../domain/query/expression.js';
import { allVersionsFilter, tipFilter } from '../domain/query/item-filter.js';
import type { Filter } from '../domain/query/plain-filter.js';
import type { Projection } from '../domain/query/projection.js';
import { withTieBreaker } from '../domain/query/sort-order.js';
import { storedPath } from '../domain/query/version-path.js';
import { batchReads } from './batch-reads.js';
import type { Collections } from './collections.js';
import { findOlderMatches, olderVersionsOf } from './older-versions.js';
import { asking, MAX_TIME_MS } from './query-errors.js';
import { scopeFilter } from './scope-filter.js';
import { fieldsOf, itemProjection } from './stored-projection.js';
import { totalFrom } from './total.js';
import { classTotalKey, ITEM_TOTAL_KEY } from './usage-outbox.js';

const DATABASE_ID = /^[0-9a-f]{24}$/;

/** Reads of items. A list is one query on one collection; what it tells of older versions comes with a second. */
export function createItemReads(collections: Collections, totals: Totals) {
  const { items } = collections;
  const readBy = (key: '_id' | '_userItemId') =>
    batchReads(async (ids) => {
      const found = await items.find({ [key]: { $in: ids } }).toArray();
      return new Map(found.map((item) => [item[key], item]));
    });
  const readById = readBy('_id');
  const readByUserItemId = readBy('_userItemId');

  return {
    async find(id: string, namespace: string, projection?: Projection): Promise<Item | undefined> {
      const isDatabaseId = DATABASE_ID.test(id);
      if (projection) {
        const filter: MongoFilter<Item> = isDatabaseId ? { _id: id } : { _userItemId: id };
        const options = { projection: fieldsOf(itemProjection(projection)) };
        return (await items.findOne({ ...filter, _namespaces: namespace }, options)) ?? undefined;
      }
      const item = await (isDatabaseId ? readById(id) : readByUserItemId(id));
      return item?._namespaces.includes(namespace) ? item : undefined;
    },

    async list(query: ListQuery, scope: Scope): Promise<Found<ShownItem>> {
      const visible = scopeFilter(scope);
      if (!visible) return { list: [], total: 0 };
      const filter = await filterOf(collections, query, visible, scope);
      return asking(async () => {
        const list = await findPage<Item, Partial<Item>>(items, filter, {
          ...query.paging,
          sort: withTieBreaker(query.sort.map(([path, direction]) => [storedPath(path), direction])),
          projection: query.project && fieldsOf(itemProjection(query.project)),
          maxTimeMs: MAX_TIME_MS,
        });
        const total = await totalFrom(query.paging, list.length, () => count(query.where, filter, scope));
        return { list: await show(list, query), total };
      });
    },
  };

  async function show(list: Partial<Item>[], { project, allVersions }: ListQuery): Promise<Partial<ShownItem>[]> {
    const older = allVersions
      ? await olderVersionsOf(
          collections,
          list.map(({ _id }) => _id!),
          project,
        )
      : undefined;
    return list.map((item) => {
      const shown = showItem(item, item._tip && older && [item._tip, ...(older.get(item._id!) ?? [])]);
      if (project && !project.withId) delete shown._id;
      return shown;
    });
  }

  async function count(where: Expression | undefined, filter: Filter, scope: Scope): Promise<number> {
    const key = totalKeyOf(where);
    return key && scope !== 'everything' && scope.some.length === 0
      ? totals.read(key, scope.all)
      : items.countDocuments(filter, { maxTimeMS: MAX_TIME_MS });
  }
}

/** The caller's conditions can only narrow what is visible: they are joined by `$and`. */
async function filterOf(
  collections: Collections,
  { where, allVersions }: ListQuery,
  visible: Filter,
  scope: Scope,
): Promise<Filter> {
  if (!where) return visible;
  if (!allVersions) return { $and: [visible, tipFilter(where)] };
  const { filter, older } = allVersionsFilter(where);
  await findOlderMatches(collections, older, scopeFilter(scope, '_userItemDbId')!);
  return { $and: [visible, filter] };
}

/** The total that is kept for what a query asks: of all items, or of those of one class. */
function totalKeyOf(where: Expression | undefined): string | undefined {
  if (!where) return ITEM_TOTAL_KEY;
  const [test, ...others] = where.kind === 'field' && where.path === '_itemClass' ? where.tests : [];
  const isOneClass = test?.operator === '$eq' && typeof test.value === 'string' && others.length === 0;
  return isOneClass ? classTotalKey(test.value as string) : undefined;
}
