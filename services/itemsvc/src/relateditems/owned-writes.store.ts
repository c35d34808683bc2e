import { BSON, oneOf, touchParents } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { Outbox } from '@dtplatform/queue';
import { indexedOf } from '../indexes/indexed-values.store.js';
import { readIndexes, relatedIndexModel } from '../indexes/indexes.store.js';
import { relatedUsage } from '../usage/usage.js';
import type { Amount } from '../usage/usage.js';
import { createUsageOutbox, inEach } from '../usage/usage.store.js';
import type { NamespaceUsage } from '../usage/usage.store.js';
import { requireVersions } from '../versions/version-reads.store.js';
import type { Owner } from './collections.js';
import { showRelatedItem } from './related-item.js';
import type { RelatedItem, StoredRelatedItem } from './related-item.js';
import { relatedItemModel, TOTAL_KEY } from './related-item.model.js';

/** Steps of writes, each in the caller's transaction. */
export function createOwnedWrites({ mongo, outbox }: { mongo: Mongo; outbox: Outbox }) {
  // Mongoose would treat dots in callers' field names as paths.
  const relatedItems = mongo.collection(relatedItemModel);
  const usageOutbox = createUsageOutbox(outbox);

  /**
   * Keeps items and versions from being deleted before the commit. @returns namespaces by item @throws 404 if one is
   * gone
   */
  async function keepOwners(owners: Owner[], session: ClientSession): Promise<Map<string, string[]>> {
    await touchParents(mongo, [...new Set(owners.map(({ item }) => item._id))], session);
    return requireVersions(mongo, owners, session);
  }

  const report = (changes: Change[], session: ClientSession): Promise<void> =>
    usageOutbox.record(session, changes.flatMap(usageOf));

  /** Inserts related items with their index entries. */
  async function store(rows: StoredRelatedItem[], session: ClientSession): Promise<void> {
    const itemIds = [...new Set(rows.map(({ _platform }) => _platform.itemId))];
    const indexes = await readIndexes(mongo, itemIds, session);
    const mixed = new Set<string>();
    const indexed = rows.map((row) => {
      const ofItem = indexes.filter(({ _itemId }) => _itemId === row._platform.itemId);
      const seen = indexedOf(ofItem, row);
      for (const { _id } of seen.mixed) mixed.add(_id);
      return seen.indexed ? { ...row, _platform: { ...row._platform, indexed: seen.indexed } } : row;
    });
    await relatedItems.insertMany(indexed, { session });
    if (mixed.size === 0) return;
    await mongo.model(relatedIndexModel).updateMany({ _id: oneOf(mixed) }, { isMixed: true }, { session });
  }

  return {
    relatedItems,
    report,
    store,

    /** `keepOwners` for one owner. @returns its namespaces */
    keepOwner: async (owner: Owner, session: ClientSession): Promise<string[]> =>
      (await keepOwners([owner], session)).get(owner.item._id)!,

    /** Adds related items to versions and records usage. @throws 404 if an item or its version is gone */
    async insert(additions: Addition[], session: ClientSession): Promise<void> {
      const namespaces = await keepOwners(
        additions.map(({ owner }) => owner),
        session,
      );
      const changes = additions.map(({ owner, rows }) => {
        const stored = rows.map((row) => storedRow(row, owner));
        const bytes = stored.reduce((sum, row) => sum + bytesOf(row), 0);
        return { owner, namespaces: namespaces.get(owner.item._id)!, amount: { count: rows.length, bytes }, stored };
      });
      await store(
        changes.flatMap(({ stored }) => stored),
        session,
      );
      await report(changes, session);
    },
  };
}

export interface Addition {
  owner: Owner;
  rows: RelatedItem[];
}

interface Change {
  owner: Owner;
  /** The namespaces of the item. */
  namespaces: string[];
  amount: Amount;
}

function usageOf({ owner, namespaces, amount }: Change): NamespaceUsage[] {
  const usage = relatedUsage(owner.item, owner.version, amount).filter((one) => one.amount !== 0);
  const deltas = amount.count === 0 ? [] : [{ key: TOTAL_KEY, namespace: owner.version._id, amount: amount.count }];
  return inEach(namespaces, usage, deltas);
}

/** The size in the form that callers see. */
export const bytesOf = (stored: StoredRelatedItem): number => BSON.calculateObjectSize(showRelatedItem(stored));

/** @param revision absent before the first change */
export const storedRow = (row: RelatedItem, { item, version }: Owner, revision?: number): StoredRelatedItem => ({
  ...row,
  _platform: { itemId: item._id, versionId: version._id, ...(revision !== undefined && { revision }) },
});
