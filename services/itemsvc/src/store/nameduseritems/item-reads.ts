import { keyLoader, listPage, onePage, scopeFilter } from '@dtplatform/mongo';
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
import { classTotalKey, ITEM_TOTAL_KEY } from '../usage/usage-outbox.js';
import { findOlderMatches, olderVersionsOf } from '../versions/older-versions.js';
import { versionModel } from '../versions/version.model.js';
import { itemModel } from './item.model.js';

const DATABASE_ID = /^[0-9a-f]{24}$/;

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
  const findById = keyLoader<Item>(items, '_id');
  const findByUserItemId = keyLoader<Item>(items, '_userItemId');

  return {
    async find(id, namespace) {
      const item = await (DATABASE_ID.test(id) ? findById(id) : findByUserItemId(id));
      return item?._namespaces.includes(namespace) ? item : undefined;
    },

    async findProjected(id, projection) {
      const fields = fieldsOf(itemProjection(projection));
      const pipeline = [{ $match: { _id: id } }, ...(fields ? [{ $project: fields }] : [])];
      return (await onePage<Partial<Item>>(items.collection, pipeline, 1))[0];
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
  await findOlderMatches(versions, older, scopeFilter(withoutCriteria(scope), ['_userItemDbId']));
  return { $and: [visible, filter] };
}

/** A version does not have the fields that criteria compare. What is found too much, the filter of the items leaves out. */
function withoutCriteria(scope: Scope): Scope {
  if (scope === 'everything') return scope;
  const { all, some, matching = [] } = scope;
  return { all: [...all, ...matching.map(({ namespace }) => namespace)], some };
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
  if (!key || scope === 'everything' || scope.some.length > 0 || scope.matching?.length) return undefined;
  return () => totals.read(key, scope.all);
}

function totalKeyOf(where: Expression | undefined): string | undefined {
  if (!where) return ITEM_TOTAL_KEY;
  const [test, ...others] = where.kind === 'field' && where.path === '_itemClass' ? where.tests : [];
  const isOneClass = test?.operator === '$eq' && typeof test.value === 'string' && others.length === 0;
  return isOneClass ? classTotalKey(test.value as string) : undefined;
}
