import type { Mongo } from '@dtplatform/mongo';
import type { AnyBulkWriteOperation, ClientSession } from 'mongodb';
import { OUTBOX } from './outbox.js';
import type { Delta, OutboxEntry } from './outbox.js';
import { TOTALS, totalId } from './totals.js';
import type { TotalDocument } from './totals.js';

/**
 * Removes entries that their queues have acknowledged and folds their deltas into the totals, in one transaction. Exactly once,
 * however many relays do it: it folds only what this transaction removes, and of two that remove the same entry one is rolled back.
 */
export async function settle(mongo: Mongo, entries: readonly OutboxEntry[]): Promise<void> {
  const ids = entries.map(({ _id }) => _id);
  if (entries.every(({ deltas }) => !deltas?.length)) {
    await mongo.db.collection<OutboxEntry>(OUTBOX).deleteMany({ _id: { $in: ids } });
    return;
  }
  await mongo.transaction(async (session) => {
    await fold(mongo, session, ids);
    await mongo.db.collection<OutboxEntry>(OUTBOX).deleteMany({ _id: { $in: ids } }, { session });
  });
}

/** Folds the deltas of entries that cannot be handed over now, so that reading totals stays fast through a long outage. */
export async function foldWaiting(mongo: Mongo, limit: number): Promise<number> {
  const outbox = mongo.db.collection<OutboxEntry>(OUTBOX);
  const waiting = await outbox
    .find({ 'deltas.namespace': { $exists: true } }, { projection: { _id: 1 } })
    .limit(limit)
    .toArray();
  const ids = waiting.map(({ _id }) => _id);
  if (ids.length === 0) return 0;
  await mongo.transaction(async (session) => {
    await fold(mongo, session, ids);
    await outbox.updateMany({ _id: { $in: ids } }, { $unset: { deltas: 1 } }, { session });
  });
  return ids.length;
}

async function fold(mongo: Mongo, session: ClientSession, ids: string[]): Promise<void> {
  const entries = await mongo.db
    .collection<OutboxEntry>(OUTBOX)
    .find({ _id: { $in: ids }, deltas: { $exists: true } }, { session, projection: { deltas: 1 } })
    .toArray();
  const updates = sumsOf(entries.flatMap(({ deltas }) => deltas ?? [])).map(increment);
  if (updates.length > 0) {
    await mongo.db.collection<TotalDocument>(TOTALS).bulkWrite(updates, { session, ordered: true });
  }
}

/** One delta for each total, in the order of their ids: transactions that take the same locks in one order conflict less. */
function sumsOf(deltas: Delta[]): Delta[] {
  const sums = new Map<string, Delta>();
  for (const { namespace, key, amount } of deltas) {
    const id = totalId(namespace, key);
    sums.set(id, { namespace, key, amount: amount + (sums.get(id)?.amount ?? 0) });
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, delta]) => delta);
}

const increment = ({ namespace, key, amount }: Delta): AnyBulkWriteOperation<TotalDocument> => ({
  updateOne: {
    filter: { _id: totalId(namespace, key) },
    update: { $inc: { amount }, $setOnInsert: { namespace, key } },
    upsert: true,
  },
});
