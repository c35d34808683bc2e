import { BSON, touchParents, trusted } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { Outbox } from '@dtplatform/queue';
import { relatedUsage } from '../../domain/nameduseritems/usage.js';
import type { Amount } from '../../domain/nameduseritems/usage.js';
import type { Owner } from '../../domain/relateditems/ports.js';
import { showRelatedItem } from '../../domain/relateditems/related-item.js';
import type { RelatedItem, StoredRelatedItem } from '../../domain/relateditems/related-item.js';
import { readIndexes } from '../indexes/index-store.js';
import { indexedOf } from '../indexes/indexed-values.js';
import { relatedIndexModel } from '../indexes/related-index.model.js';
import { createUsageOutbox, inEach } from '../usage/usage-outbox.js';
import { requireVersions } from '../versions/require-versions.js';
import { relatedItemModel, TOTAL_KEY } from './related-item.model.js';

/** The parts of writes of related items, each in the transaction of its caller. */
export function createOwnedWrites({ mongo, outbox }: { mongo: Mongo; outbox: Outbox }) {
  // Mongoose takes the dots in names of callers' own fields for paths.
  const relatedItems = mongo.db.collection<StoredRelatedItem>(relatedItemModel.collection);
  const usageOutbox = createUsageOutbox(outbox);

  /** Keeps the item and its version until the commit. @returns the namespaces of the item @throws 404 when they are gone */
  async function keepOwner(owner: Owner, session: ClientSession): Promise<string[]> {
    await touchParents(mongo, [owner.item._id], session);
    return (await requireVersions(mongo, [owner], session)).get(owner.item._id)!;
  }

  async function report(owner: Owner, namespaces: string[], amount: Amount, session: ClientSession): Promise<void> {
    const usage = relatedUsage(owner.item, owner.version, amount).filter((one) => one.amount !== 0);
    const deltas = amount.count === 0 ? [] : [{ key: TOTAL_KEY, namespace: owner.version._id, amount: amount.count }];
    await usageOutbox.record(session, inEach(namespaces, usage, deltas));
  }

  /** Inserts related items with what the indexes of their collection see of them. */
  async function store({ item }: Owner, rows: StoredRelatedItem[], session: ClientSession): Promise<void> {
    const indexes = await readIndexes(mongo, item._id, session);
    const mixed = new Set<string>();
    const indexed = rows.map((row) => {
      const seen = indexedOf(indexes, row);
      for (const { _id } of seen.mixed) mixed.add(_id);
      return seen.indexed ? { ...row, _platform: { ...row._platform, indexed: seen.indexed } } : row;
    });
    await relatedItems.insertMany(indexed, { session });
    if (mixed.size === 0) return;
    await mongo
      .model(relatedIndexModel)
      .updateMany({ _id: trusted({ $in: [...mixed] }) }, { isMixed: true }, { session });
  }

  return {
    relatedItems,
    keepOwner,
    report,

    store,

    /** Adds related items to a version, and reports their usage. @throws 404 when the item or its version is gone */
    async insert(owner: Owner, rows: RelatedItem[], session: ClientSession): Promise<void> {
      const namespaces = await keepOwner(owner, session);
      const stored = rows.map((row) => storedRow(row, owner));
      const bytes = stored.reduce((sum, row) => sum + bytesOf(row), 0);
      await store(owner, stored, session);
      await report(owner, namespaces, { count: rows.length, bytes }, session);
    },
  };
}

/** As callers see it. */
export const bytesOf = (stored: StoredRelatedItem): number => BSON.calculateObjectSize(showRelatedItem(stored));

/** @param revision absent before the first change */
export const storedRow = (row: RelatedItem, { item, version }: Owner, revision?: number): StoredRelatedItem => ({
  ...row,
  _platform: { itemId: item._id, versionId: version._id, ...(revision !== undefined && { revision }) },
});
