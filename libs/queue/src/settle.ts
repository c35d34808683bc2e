import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { outboxModel } from './outbox.model.js';
import type { Delta, OutboxEntry } from './outbox.model.js';
import { totalId, totalModel } from './total.model.js';
import type { TotalDocument } from './total.model.js';

// The driver's collections: of every write the relay reads and deletes an entry, and Mongoose has nothing to cast here.
const outboxOf = ({ db }: Mongo) => db.collection<OutboxEntry>(outboxModel.collection);
const totalsOf = ({ db }: Mongo) => db.collection<TotalDocument>(totalModel.collection);

/**
 * Removes entries that their queues have acknowledged and folds their deltas into the totals, in one transaction. Each delta is
 * folded exactly once, even by several relays: of two transactions that remove the same entry, one is rolled back.
 */
export async function settle(mongo: Mongo, entries: readonly OutboxEntry[]): Promise<void> {
  const outbox = outboxOf(mongo);
  const ids = entries.map(({ _id }) => _id);
  if (entries.every(({ deltas }) => !deltas?.length)) {
    await outbox.deleteMany({ _id: { $in: ids } });
    return;
  }
  await mongo.transaction(async (session) => {
    await fold(mongo, session, ids);
    await outbox.deleteMany({ _id: { $in: ids } }, { session });
  });
}

/** Folds the deltas of entries that cannot be handed over now, so that reading totals stays fast during a long outage. */
export async function foldWaiting(mongo: Mongo, limit: number): Promise<number> {
  const outbox = outboxOf(mongo);
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
  const entries = await outboxOf(mongo)
    .find({ _id: { $in: ids }, deltas: { $exists: true } }, { session, projection: { deltas: 1 } })
    .toArray();
  const updates = sumsOf(entries.flatMap(({ deltas }) => deltas ?? [])).map(increment);
  if (updates.length > 0) await totalsOf(mongo).bulkWrite(updates, { session, ordered: true });
}

/** One delta per total, ordered by id: transactions that take the same locks in the same order conflict less. */
function sumsOf(deltas: Delta[]): Delta[] {
  const sums = new Map<string, Delta>();
  for (const { namespace, key, amount } of deltas) {
    const id = totalId(namespace, key);
    sums.set(id, { namespace, key, amount: amount + (sums.get(id)?.amount ?? 0) });
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, delta]) => delta);
}

const increment = ({ namespace, key, amount }: Delta) => ({
  updateOne: {
    filter: { _id: totalId(namespace, key) },
    update: { $inc: { amount }, $setOnInsert: { namespace, key } },
    upsert: true,
  },
});
