import { matchesPrecondition } from '@dtplatform/contracts';
import type { Criteria, Listing, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { BSON, listPage, lockParent, newId, onePage, shareCommits } from '@dtplatform/mongo';
import type { ClientSession, Filter, Mongo } from '@dtplatform/mongo';
import type { MessageType, Outbox, Totals } from '@dtplatform/queue';
import { indexedQuery } from '../indexes/indexed-values.store.js';
import { readIndexes } from '../indexes/indexes.store.js';
import type { Expression } from '../query/expression.js';
import { fieldsOf, mapQueryErrors, plainField, toFilter } from '../query/filters.store.js';
import { withTieBreaker } from '../query/parse-query.js';
import type { ListQuery, SortOrder } from '../query/parse-query.js';
import { PLATFORM } from '../query/paths.js';
import type { TelemetryItemOf } from '../readings/place-readings.js';
import { checkSize } from '../versions/version.model.js';
import type { Owner, Readable } from './collections.js';
import { bytesOf, createOwnedWrites, storedRow } from './owned-writes.store.js';
import type { Addition } from './owned-writes.store.js';
import { revisionOfRelatedItem, showRelatedItem } from './related-item.js';
import type { RelatedItem, StoredRelatedItem } from './related-item.js';
import { IN_ITEM, IN_VERSION, relatedItemModel, TOTAL_KEY } from './related-item.model.js';

/** All collections share one MongoDB collection; lists are in order of creation. */
export const createRelatedItemStore = (deps: {
  mongo: Mongo;
  outbox: Outbox;
  totals: Totals;
  cleanUp: MessageType<TelemetryItemOf>;
}) => ({
  ...createRelatedItemReads(deps),
  ...createRelatedItemWrites(deps),
});

export type RelatedItemStore = ReturnType<typeof createRelatedItemStore>;

function createRelatedItemReads({ mongo, totals }: { mongo: Mongo; totals: Totals }) {
  const relatedItems = mongo.model(relatedItemModel);

  return {
    /** @param allowed all related items, or those that match one of the criteria */
    list(
      owner: Owner,
      { where, sort, project, paging }: ListQuery,
      allowed: 'all' | Criteria[],
    ): Promise<Listing<Partial<RelatedItem>>> {
      const isWhole = !where && allowed === 'all';
      return mapQueryErrors(async () => {
        const query = await relatedItemQuery(mongo, { owner, allowed }, where, sort);
        return listPage<StoredRelatedItem, Partial<RelatedItem>>(relatedItems, query.filter, {
          paging,
          sort: new Map(withTieBreaker(query.sort)),
          projection: fieldsOf(project, [PLATFORM]),
          total: isWhole ? () => totals.read(TOTAL_KEY, [owner.version._id]) : undefined,
          asIs: true,
        });
      });
    },

    async find({ item, version }: Owner, id: string): Promise<StoredRelatedItem | undefined> {
      const own = { _id: id, [IN_ITEM]: item._id, [IN_VERSION]: version._id };
      const [stored] = await onePage<StoredRelatedItem>(relatedItems.collection, [{ $match: own }], 1);
      return stored;
    },
  };
}

/**
 * Translates a query on a version of a collection, using the collection's indexes.
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

/** Bytes per transaction shared by several requests; a larger request gets its own. */
const MAX_SHARED_BYTES = 256 * 1024;
/** Overhead per related item. */
const BASE_BYTES = 2 * 1024;

/** Each write is a transaction that also records usage. */
function createRelatedItemWrites({
  mongo,
  outbox,
  cleanUp,
}: {
  mongo: Mongo;
  outbox: Outbox;
  /** Removes the readings of a deleted telemetry item. */
  cleanUp: MessageType<TelemetryItemOf>;
}) {
  const writes = createOwnedWrites({ mongo, outbox });
  const { relatedItems, keepOwner, report } = writes;

  /** @throws 412 unless it meets the precondition */
  async function findOwn(owner: Owner, id: string, precondition: Precondition, session: ClientSession) {
    const filter = { _id: id, [IN_ITEM]: owner.item._id, [IN_VERSION]: owner.version._id };
    const stored = await relatedItems.findOne(filter, { session });
    if (stored && !matchesPrecondition({ _revision: revisionOfRelatedItem(stored) }, precondition)) {
      throw commonErrors.preconditionFailed();
    }
    return stored ?? undefined;
  }

  const insertAll = (additions: Addition[]): Promise<void[]> =>
    mongo.transaction(async (session) => {
      await writes.insert(additions, session);
      return additions.map(() => undefined);
    });
  const insertShared = shareCommits(mongo, insertAll, { maxWeight: MAX_SHARED_BYTES, weightOf });

  return {
    newId,
    /** @throws 413 if an item exceeds MongoDB's limit */
    checkSize,

    /** All or nothing. */
    insert: (owner: Owner, rows: RelatedItem[]): Promise<void> => insertShared({ owner, rows }),

    /**
     * Replaces a related item. @returns undefined if it is gone
     * @param change computes the replacement from the stored one, or throws
     * @throws 412 unless it meets the precondition
     */
    replace: (
      owner: Owner,
      id: string,
      change: (before: RelatedItem) => RelatedItem,
      precondition: Precondition,
    ): Promise<StoredRelatedItem | undefined> =>
      mongo.transaction(async (session) => {
        const namespaces = await keepOwner(owner, session);
        const before = await findOwn(owner, id, precondition, session);
        if (!before) return undefined;
        const changed = storedRow(change(showRelatedItem(before)), owner, revisionOfRelatedItem(before) + 1);
        // MongoDB accepts field names that start with $ in inserts, but not in replacements.
        await relatedItems.deleteOne({ _id: id }, { session });
        await writes.store([changed], session);
        const amount = { count: 0, bytes: bytesOf(changed) - bytesOf(before) };
        await report([{ owner, namespaces, amount }], session);
        return changed;
      }),

    /**
     * @param check throws if it must stay
     * @returns false if it is gone
     * @throws 412 unless it meets the precondition
     */
    remove: (
      owner: Owner,
      id: string,
      check: (relatedItem: RelatedItem) => void,
      precondition: Precondition,
    ): Promise<boolean> =>
      mongo.transaction(async (session) => {
        const namespaces = await keepOwner(owner, session);
        const before = await findOwn(owner, id, precondition, session);
        if (!before) return false;
        check(showRelatedItem(before));
        await relatedItems.deleteOne({ _id: id }, { session });
        await report([{ owner, namespaces, amount: { count: -1, bytes: -bytesOf(before) } }], session);
        if (owner.item._itemClass === 'NamedTelemetryCollection') {
          // Otherwise readings could be accepted after the removal.
          await lockParent(mongo, owner.item._id, session);
          await outbox.put(session, cleanUp, { itemId: owner.item._id, versionId: owner.version._id, telItemId: id });
        }
        return true;
      }),
  };
}

const weightOf = ({ rows }: Addition): number =>
  rows.reduce((sum, row) => sum + BASE_BYTES + BSON.calculateObjectSize(row), 0);
