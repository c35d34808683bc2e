import type { Listing, PermissionEntry, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import {
  deleteIfMatch,
  keyLoader,
  listPage,
  lockParent,
  newId,
  onePage,
  scopeFilter,
  shareCommits,
  updateIfMatch,
} from '@dtplatform/mongo';
import type { Filter, Model, Mongo, PendingGrants } from '@dtplatform/mongo';
import { homeOf, isSamePlace } from '@dtplatform/permissions';
import type { Scope } from '@dtplatform/permissions';
import type { MessageType, Outbox, Totals } from '@dtplatform/queue';
import type { Expression } from '../query/expression.js';
import {
  allVersionsFilter,
  fieldsOf,
  itemProjection,
  mapQueryErrors,
  storedPath,
  tipFilter,
} from '../query/filters.store.js';
import { withTieBreaker } from '../query/parse-query.js';
import type { ListQuery, Projection } from '../query/parse-query.js';
import { logWrite } from '../updatelogs/update-logs.store.js';
import { itemUsage, negated, versionUsage } from '../usage/usage.js';
import { classTotalKey, createUsageOutbox, ITEM_TOTAL_KEY, itemDeltas, storedUsageOf } from '../usage/usage.store.js';
import type { NamespaceUsage } from '../usage/usage.store.js';
import { findOlderMatches, olderVersionsOf } from '../versions/version-reads.store.js';
import type { OlderVersion } from '../versions/version.js';
import { bytesOfVersion, checkSize, versionModel } from '../versions/version.model.js';
import { touched } from './item-metadata.js';
import type { Writing } from './item-metadata.js';
import { showItem } from './item.js';
import type { Item, ShownItem } from './item.js';
import { itemModel } from './item.model.js';
import type { DecidedItem, StoredItemChange } from './items.js';

interface Deps {
  mongo: Mongo;
  outbox: Outbox;
  totals: Totals;
  grants: PendingGrants;
  /** Removes what a deleted item leaves behind. */
  cleanUp: MessageType<{ itemId: string }>;
}

/**
 * Items in MongoDB: one document per item, with its tip. Writes record usage in their transaction, and reject with a
 * 412 unless the precondition is met.
 */
export const createItemStore = (deps: Deps) => ({ ...createItemReads(deps), ...createItemWrites(deps) });

export type ItemStore = ReturnType<typeof createItemStore>;

const DATABASE_ID = /^[0-9a-f]{24}$/;

/** A list is one query on one collection; older versions need a second query. */
function createItemReads({ mongo, totals }: { mongo: Mongo; totals: Totals }) {
  const items = mongo.model(itemModel);
  const versions = mongo.model(versionModel);
  const findById = keyLoader<Item>(items, '_id');
  const findByUserItemId = keyLoader<Item>(items, '_userItemId');

  return {
    /** Finds an item by `_id` or `_userItemId`. */
    async find(id: string, namespace: string): Promise<Item | undefined> {
      const item = await (DATABASE_ID.test(id) ? findById(id) : findByUserItemId(id));
      return item?._namespaces.includes(namespace) ? item : undefined;
    },

    async findProjected(id: string, projection: Projection): Promise<Partial<Item> | undefined> {
      const fields = fieldsOf(itemProjection(projection));
      const pipeline = [{ $match: { _id: id } }, ...(fields ? [{ $project: fields }] : [])];
      return (await onePage<Partial<Item>>(items.collection, pipeline, 1))[0];
    },

    list: (query: ListQuery, scope: Scope): Promise<Listing<Partial<ShownItem>>> =>
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

/** `$and` ensures that a caller's conditions only narrow its scope. */
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

/** Criteria compare fields that versions do not have. The filter on items removes what this lets through. */
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

/** The stored total for a query, if there is one: of all items or of one class. */
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

/** Bytes per transaction shared by several requests; a larger request gets its own. */
const MAX_SHARED_BYTES = 1024 * 1024;
/** Per item and namespace. */
const USAGE_BYTES = 700;

/** Each write is one transaction that also records usage. */
export function createItemWrites({
  mongo,
  outbox,
  grants,
  cleanUp,
}: {
  mongo: Mongo;
  outbox: Outbox;
  grants: Pick<PendingGrants, 'transaction'>;
  cleanUp: MessageType<{ itemId: string }>;
}) {
  const items = mongo.model(itemModel);
  const versions = mongo.model(versionModel);
  const usageOutbox = createUsageOutbox(outbox);

  const insertAll = (requests: Item[][]): Promise<void[]> =>
    mongo.transaction(async (session) => {
      const created = requests.flat();
      // Built from validated input; casting it again would cost a quarter of the request.
      await items.insertMany(created, { session, lean: true });
      await usageOutbox.record(session, created.flatMap(usageOfNewItem));
      return requests.map(() => undefined);
    });

  return {
    newId,
    /** @throws 413 if a version exceeds MongoDB's limit */
    checkSize,

    /** All or nothing. */
    insert: shareCommits(mongo, insertAll, { maxWeight: MAX_SHARED_BYTES, weightOf }),

    /**
     * @param entered granted to the caller after the commit
     * @returns false if the item is gone
     * @throws 409 if the item has moved to other namespaces
     */
    update: (
      item: DecidedItem,
      change: StoredItemChange,
      writing: Writing,
      precondition: Precondition,
      entered: PermissionEntry[],
    ): Promise<boolean> =>
      grants.transaction(entered, async (session) => {
        const { _id } = item;
        const $set = { ...change, ...touched(writing) };
        const before = await updateIfMatch(items, _id, { $set }, { precondition, session, returns: 'before' });
        if (!before) return false;
        if (!isSamePlace(before, item)) throw commonErrors.conflict();
        await logWrite(mongo, { after: { _id, _revision: before._revision + 1 }, writing }, session);
        const added = change._namespaces.filter((namespace) => !before._namespaces.includes(namespace));
        const removed = before._namespaces.filter((namespace) => !change._namespaces.includes(namespace));
        if (added.length + removed.length === 0) return true;
        // Otherwise concurrent inserts below the item would escape the recount.
        await lockParent(mongo, _id, session);
        await versions.updateMany({ _userItemDbId: _id }, { $set: { _namespaces: change._namespaces } }, { session });
        const usage = await storedUsageOf(mongo, before, session);
        await usageOutbox.record(session, [
          ...added.map((namespace) => ({ namespace, usage, deltas: itemDeltas(namespace, before._itemClass, 1) })),
          ...removed.map((namespace) => leaving(namespace, before, usage)),
        ]);
        return true;
      }),

    /**
     * Deletes the item; the worker removes its older versions and related items.
     * @returns false if the item is gone
     * @throws 409 if the item has moved
     */
    remove: (decided: DecidedItem, precondition: Precondition): Promise<boolean> =>
      mongo.transaction(async (session) => {
        const { _id: id } = decided;
        const item = await deleteIfMatch(items, id, { precondition, session });
        if (!item) return false;
        if (homeOf(item) !== homeOf(decided)) throw commonErrors.conflict();
        await lockParent(mongo, id, session);
        const usage = await storedUsageOf(mongo, item, session);
        await usageOutbox.record(
          session,
          item._namespaces.map((namespace) => leaving(namespace, item, usage)),
        );
        await outbox.put(session, cleanUp, { itemId: id });
        return true;
      }),
  };
}

/** Approximate bytes written: usage is stored per namespace. */
const weightOf = (items: Item[]) =>
  items.reduce((sum, { _tip, _namespaces }) => sum + bytesOfVersion(_tip) + _namespaces.length * USAGE_BYTES, 0);

function usageOfNewItem(item: Item): NamespaceUsage[] {
  const usage = [...itemUsage(item), ...versionUsage(item, item._tip, bytesOfVersion(item._tip))];
  return item._namespaces.map((namespace) => ({ namespace, usage, deltas: itemDeltas(namespace, item._itemClass, 1) }));
}

const leaving = (namespace: string, item: Item, usage: NamespaceUsage['usage']): NamespaceUsage => ({
  namespace,
  usage: negated(usage),
  deltas: itemDeltas(namespace, item._itemClass, -1),
});
