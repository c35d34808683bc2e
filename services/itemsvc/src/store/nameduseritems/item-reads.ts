import DataLoader from 'dataloader';
import { listPage, scopeFilter } from '@dtplatform/mongo';
import type { Filter, Model, Mongo } from '@dtplatform/mongo';
import type { Scope } from '@dtplatform/permissions';
import type { Totals } from '@dtplatform/queue';
import type { ListQuery } from '../../domain/list-query.js';
import { showItem } from '../../domain/nameduseritems/item.js';
import type { Item, ShownItem } from '../../domain/nameduseritems/item.js';
import type { ItemStore } from '../../domain/nameduseritems/ports.js';
import type { Expression } from '../../domain/query/expression.js';
import { withTieBreaker } from '../../domain/query/sort-order.js';
import type { OlderVersion } from '../../domain/versions/version.js';
import { allVersionsFilter, tipFilter } from '../query/item-filter.js';
import { mapQueryErrors } from '../query/map-query-errors.js';
import { fieldsOf, itemProjection } from '../query/stored-projection.js';
import { storedPath } from '../query/version-path.js';
import { classTotalKey, ITEM_TOTAL_KEY } from '../usage-outbox.js';
import { findOlderMatches, olderVersionsOf } from '../versions/older-versions.js';
import { versionModel } from '../versions/version.model.js';
import { itemModel } from './item.model.js';

const DATABASE_ID = /^[0-9a-f]{24}$/;
/** A larger batch is no cheaper per item, and makes the first caller wait for the last. */
const MAX_BATCH = 32;

/** Reads of items. A list is one query on one collection; older versions need a second one. */
export function createItemReads({
  mongo,
  totals,
}: {
  mongo: Mongo;
  totals: Totals;
}): Pick<ItemStore, 'find' | 'findProjected' | 'list'> {
  const items = mongo.model(itemModel);
  const versions = mongo.model(versionModel);
  const byId = loaderOf(items, '_id');
  const byUserItemId = loaderOf(items, '_userItemId');

  return {
    async find(id, namespace) {
      const item = await (DATABASE_ID.test(id) ? byId : byUserItemId).load(id);
      return item?._namespaces.includes(namespace) ? item : undefined;
    },

    async findProjected(id, projection) {
      return (await items.findById(id, fieldsOf(itemProjection(projection))).lean<Partial<Item>>()) ?? undefined;
    },

    list: (query, scope) =>
      mapQueryErrors(async () => {
        const filter = await filterOf(versions, query, scope);
        const { list, total } = await listPage<Item, Partial<Item>>(items, filter, {
          paging: query.paging,
          sort: new Map(withTieBreaker(query.sort.map(([path, direction]) => [storedPath(path), direction]))),
          projection: query.project && fieldsOf(itemProjection(query.project)),
          total: totalFrom(totals, query.where, scope),
          asIs: true,
        });
        return { list: await show(versions, list, query), total };
      }),
  };
}

/** Joins the reads of one turn of the event loop into one query: callers at the same time share its cost. */
const loaderOf = (items: Model<Item>, key: '_id' | '_userItemId') =>
  new DataLoader<string, Item | undefined>(
    async (keys) => {
      // Without Mongoose's casts: bench row item-get.
      const found = await items.collection.find({ [key]: { $in: [...new Set(keys)] } }).toArray();
      const byKey = new Map((found as unknown as Item[]).map((item) => [item[key], item]));
      return keys.map((one) => byKey.get(one));
    },
    { cache: false, maxBatchSize: MAX_BATCH, batchScheduleFn: (run) => void setImmediate(run) },
  );

/** A caller's conditions can only narrow its scope: they are joined by `$and`. */
async function filterOf(
  versions: Model<OlderVersion>,
  { where, allVersions }: ListQuery,
  scope: Scope,
): Promise<Filter> {
  const visible = scopeFilter(scope);
  if (!where) return visible;
  if (!allVersions) return { $and: [visible, tipFilter(where)] };
  const { filter, older } = allVersionsFilter(where);
  await findOlderMatches(versions, older, scopeFilter(scope, ['_userItemDbId']));
  return { $and: [visible, filter] };
}

async function show(
  versions: Model<OlderVersion>,
  list: Partial<Item>[],
  { project, allVersions }: ListQuery,
): Promise<Partial<ShownItem>[]> {
  const ids = list.map(({ _id }) => _id!);
  const older = allVersions ? await olderVersionsOf(versions, ids, project) : undefined;
  return list.map((item) => {
    const shown = showItem(item, item._tip && older && [item._tip, ...(older.get(item._id!) ?? [])]);
    if (project && !project.withId) delete shown._id;
    return shown;
  });
}

/** The stored total of what a query asks for, where there is one: of all items, or of one class. */
function totalFrom(totals: Totals, where: Expression | undefined, scope: Scope): (() => Promise<number>) | undefined {
  const key = totalKeyOf(where);
  if (!key || scope === 'everything' || scope.some.length > 0) return undefined;
  return () => totals.read(key, scope.all);
}

function totalKeyOf(where: Expression | undefined): string | undefined {
  if (!where) return ITEM_TOTAL_KEY;
  const [test, ...others] = where.kind === 'field' && where.path === '_itemClass' ? where.tests : [];
  const isOneClass = test?.operator === '$eq' && typeof test.value === 'string' && others.length === 0;
  return isOneClass ? classTotalKey(test.value as string) : undefined;
}
