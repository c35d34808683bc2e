import { newId } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { readEntries } from './feed.js';
import { outboxModel } from './outbox.js';
import type { Delta, OutboxEntry } from './outbox.js';
import { totalId, totalModel } from './totals.js';

const MAX_MESSAGES = 1_000;
/** Size of the stored messages. The last one may exceed it. */
const MAX_BYTES = 256 * 1024;

/**
 * Replaces waiting messages by one batch per queue and adds their deltas to the totals, in one transaction, so that
 * each counts exactly once even with several relays: of two that take the same messages, one rolls back.
 * @returns whether there may be more
 */
export function batchWaiting(mongo: Mongo): Promise<boolean> {
  // The driver's collections: every write passes through here, and there is nothing to cast.
  const outbox = mongo.collection(outboxModel);
  const totals = mongo.collection(totalModel);

  return mongo.transaction(async (session) => {
    const waiting = outbox.find({ batch: { $exists: true } }, { session, limit: MAX_MESSAGES });
    const { entries, isFull } = await readEntries(waiting, MAX_BYTES);
    if (entries.length === 0) return false;
    await outbox.deleteMany({ _id: { $in: entries.map(({ _id }) => _id) } }, { session });
    await outbox.insertMany(batchesOf(entries), { session });
    const updates = sumsOf(entries.flatMap(({ deltas = [] }) => deltas)).map(increment);
    if (updates.length > 0) await totals.bulkWrite(updates, { session, ordered: true });
    return isFull || entries.length === MAX_MESSAGES;
  });
}

function batchesOf(entries: OutboxEntry[]): OutboxEntry[] {
  const groups = new Map<string, OutboxEntry[]>();
  for (const entry of entries) {
    const key = `${entry.queue} ${entry.batch}`;
    const group = groups.get(key) ?? [];
    group.push(entry);
    groups.set(key, group);
  }
  return [...groups.values()].map((group) => {
    const { queue, batch, trace } = group[0]!;
    const isOneCall = group.every((entry) => entry.trace?.requestId === trace?.requestId);
    return {
      _id: newId(),
      queue,
      name: batch!,
      payload: { messages: group.map(({ payload }) => payload) },
      ...(trace && isOneCall && { trace }),
      createdAt: Date.now(),
    };
  });
}

/** One delta per total, ordered by id: transactions that lock in the same order conflict less. */
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
