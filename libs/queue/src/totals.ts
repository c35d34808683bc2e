import { setTimeout as delay } from 'node:timers/promises';
import { defineModel, id, MongoServerError, number, text } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { outboxModel } from './outbox.js';

const SNAPSHOT_UNAVAILABLE = 246;
const MAX_ATTEMPTS = 10;
const RETRY_AFTER_MS = 50;

type Amount = Pick<TotalDocument, 'namespace' | 'amount'>;

export type Totals = ReturnType<typeof createTotals>;

/** Totals that are exact after each write without counting: the relay's sums plus the deltas in the outbox. */
export function createTotals({ db }: Pick<Mongo, 'db'>) {
  // Each list reads one. Mongoose does not cast aggregations, so its model would only cost time.
  const totals = db.collection<TotalDocument>(totalModel.collection);
  const outbox = db.collection(outboxModel.collection);
  const shared = shareReads<number>();

  async function sumOf(ids: string[], key: string, namespaces: string[]): Promise<number> {
    const pipeline = [
      { $match: { _id: { $in: ids } } },
      { $project: { amount: 1 } },
      { $unionWith: { coll: outboxModel.collection, pipeline: waitingDeltas(key, namespaces) } },
      { $group: { _id: null, amount: { $sum: '$amount' } } },
    ];
    const read = () => totals.aggregate<{ amount: number }>(pipeline, { readConcern: { level: 'snapshot' } }).toArray();
    const [sum] = await withSnapshot(read);
    return sum?.amount ?? 0;
  }

  return {
    /** The sum of a key over namespaces, at a time after the last acknowledged write. */
    async read(key: string, namespaces: readonly string[]): Promise<number> {
      const wanted = [...new Set(namespaces)];
      const ids = wanted.map((namespace) => totalId(namespace, key));
      return shared(JSON.stringify(ids), () => sumOf(ids, key, wanted));
    },

    /** The total of a key in each namespace that has one, in the transaction's snapshot. */
    async readEach(key: string, namespaces: readonly string[], session: ClientSession): Promise<Map<string, number>> {
      const wanted = [...new Set(namespaces)];
      const ids = wanted.map((namespace) => totalId(namespace, key));
      // Transactions have no $unionWith; both reads see the same snapshot.
      const folded = await totals.find({ _id: { $in: ids } }, { session }).toArray();
      const waiting = await outbox.aggregate<Amount>(waitingDeltas(key, wanted), { session }).toArray();
      const sums = new Map<string, number>();
      for (const { namespace, amount } of [...folded, ...waiting])
        sums.set(namespace, (sums.get(namespace) ?? 0) + amount);
      return sums;
    },
  };
}

const waitingDeltas = (key: string, namespaces: string[]) => {
  const wanted = { namespace: { $in: namespaces }, key };
  return [
    { $match: { deltas: { $elemMatch: wanted } } },
    { $unwind: '$deltas' },
    { $match: { 'deltas.namespace': wanted.namespace, 'deltas.key': key } },
    { $project: { _id: 0, namespace: '$deltas.namespace', amount: '$deltas.amount' } },
  ];
};

/** No snapshot contains a collection or index that was just created. */
async function withSnapshot<T>(read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      const isTooEarly = error instanceof MongoServerError && error.code === SNAPSHOT_UNAVAILABLE;
      if (!isTooEarly || attempt >= MAX_ATTEMPTS) throw error;
      await delay(RETRY_AFTER_MS);
    }
  }
}

/** The number of one kind of thing in a namespace, as summed by the relay so far. */
export interface TotalDocument {
  /** `<namespace>/<key>` */
  _id: string;
  namespace: string;
  key: string;
  amount: number;
}

export const totalId = (namespace: string, key: string): string => `${namespace}/${key}`;

export const totalModel = defineModel<TotalDocument>('totals', {
  _id: id,
  namespace: text,
  key: text,
  amount: number,
});

/**
 * Concurrent callers with the same key share one read. Every result was read after its caller asked: a caller that
 * arrives during a read waits for the next one.
 */
export function shareReads<T>(): (key: string, read: () => Promise<T>) => Promise<T> {
  const reads = new Map<string, { current: Promise<T>; next?: Promise<T> }>();

  function begin(key: string, read: () => Promise<T>): Promise<T> {
    const state: { current: Promise<T>; next?: Promise<T> } = { current: read() };
    reads.set(key, state);
    const end = () => {
      if (!state.next) reads.delete(key);
    };
    state.current.then(end, end);
    return state.current;
  }

  return (key, read) => {
    const state = reads.get(key);
    if (!state) return begin(key, read);
    const beginNext = () => begin(key, read);
    return (state.next ??= state.current.then(beginNext, beginNext));
  };
}
