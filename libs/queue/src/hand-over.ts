import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { outboxModel } from './outbox.model.js';
import type { Delta, OutboxEntry } from './outbox.model.js';
import { totalId, totalModel } from './total.model.js';
import type { TotalDocument } from './total.model.js';

// The driver's collections: the relay reads and updates an entry of every write, and Mongoose has nothing to cast here.
const outboxOf = ({ db }: Mongo) => db.collection<OutboxEntry>(outboxModel.collection);
const totalsOf = ({ db }: Mongo) => db.collection<TotalDocument>(totalModel.collection);

/**
 * Records that queues have acknowledged entries: folds their deltas into the totals and sets `checkAt`, or removes the
 * entry if another document is the truth about the work. One transaction, so that each delta is folded exactly once,
 * even by several relays: of two transactions that change the same entry, one is rolled back.
 */
export async function recordHandOver(mongo: Mongo, entries: readonly OutboxEntry[], checkAt: number): Promise<void> {
  const outbox = outboxOf(mongo);
  const idsOf = (some: readonly OutboxEntry[]) => ({ _id: { $in: some.map(({ _id }) => _id) } });
  const forgotten = entries.filter(({ forget }) => forget);
  const kept = entries.filter(({ forget }) => !forget);
  const write = async (session?: ClientSession) => {
    if (forgotten.length > 0) await outbox.deleteMany(idsOf(forgotten), { session });
    if (kept.length > 0)
      await outbox.updateMany(idsOf(kept), { $set: { checkAt }, $unset: { deltas: 1 } }, { session });
  };
  if (entries.every(({ deltas }) => !deltas?.length)) return write();
  await mongo.transaction(async (session) => {
    await fold(
      mongo,
      session,
      entries.map(({ _id }) => _id),
    );
    await write(session);
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
