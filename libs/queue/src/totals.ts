import { setTimeout as delay } from 'node:timers/promises';
import { MongoServerError } from 'mongodb';
import type { Db } from 'mongodb';
import { OUTBOX } from './outbox.js';
import { shareReads } from './share-reads.js';

export const TOTALS = 'totals';
const SNAPSHOT_UNAVAILABLE = 246;
const MAX_ATTEMPTS = 10;
const RETRY_AFTER_MS = 50;

/** How many of one thing a namespace holds, as far as the relay has folded it. */
export interface TotalDocument {
  /** `<namespace>/<key>` */
  _id: string;
  namespace: string;
  key: string;
  amount: number;
}

export const totalId = (namespace: string, key: string): string => `${namespace}/${key}`;

export type Totals = ReturnType<typeof createTotals>;

/** Totals that are right after each write and never counted: what the relay has folded, plus the deltas that still wait in the outbox. */
export function createTotals(db: Db) {
  const totals = db.collection<TotalDocument>(TOTALS);
  const shared = shareReads<number>();

  async function sumOf(ids: string[], key: string, namespaces: string[]): Promise<number> {
    const pipeline = [
      { $match: { _id: { $in: ids } } },
      { $project: { amount: 1 } },
      { $unionWith: { coll: OUTBOX, pipeline: waitingDeltas(key, namespaces) } },
      { $group: { _id: null, amount: { $sum: '$amount' } } },
    ];
    const read = () => totals.aggregate<{ amount: number }>(pipeline, { readConcern: { level: 'snapshot' } }).toArray();
    const [sum] = await withSnapshot(read);
    return sum?.amount ?? 0;
  }

  return {
    /** The sum of a key over namespaces, at one point in time that is not before the last acknowledged write. */
    async read(key: string, namespaces: readonly string[]): Promise<number> {
      const wanted = [...new Set(namespaces)];
      const ids = wanted.map((namespace) => totalId(namespace, key));
      return shared(JSON.stringify(ids), () => sumOf(ids, key, wanted));
    },
  };
}

const waitingDeltas = (key: string, namespaces: string[]) => {
  const wanted = { namespace: { $in: namespaces }, key };
  return [
    { $match: { deltas: { $elemMatch: wanted } } },
    { $unwind: '$deltas' },
    { $match: { 'deltas.namespace': wanted.namespace, 'deltas.key': key } },
    { $project: { _id: 0, amount: '$deltas.amount' } },
  ];
};

/** For a moment after a collection or index is made there is no snapshot that has it. */
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
