import type { Db, Filter } from 'mongodb';
import { isDuplicateKey } from './errors.js';
import type { IndexPlan } from './indexes.js';

const KEYS = 'idempotency_keys';
const KEPT_FOR_MS = 24 * 3600 * 1000;
/** A request that shows no end for this long died; its key is free again. */
const ABANDONED_AFTER_MS = 120_000;

interface Kept<R> {
  _id: string;
  fingerprint: string;
  reply?: R;
  expiresAt: Date;
}

export const idempotencyIndexes: IndexPlan = {
  [KEYS]: [{ key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 }],
};

/** Keeps the replies of requests with an idempotency key for a day. */
export function createIdempotencyStore<R extends object>(db: Db) {
  const keys = db.collection<Kept<R>>(KEYS);
  const at = (fromNowMs: number) => new Date(Date.now() + fromNowMs);

  async function insert(id: string, fingerprint: string): Promise<boolean> {
    try {
      await keys.deleteOne({ _id: id, expiresAt: { $lte: new Date() } });
      const entry: Kept<R> = { _id: id, fingerprint, expiresAt: at(ABANDONED_AFTER_MS) };
      await keys.insertOne(entry);
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  return {
    async begin(id: string, fingerprint: string): Promise<'begun' | 'running' | { fingerprint: string; reply: R }> {
      if (await insert(id, fingerprint)) return 'begun';
      const before = await keys.findOne<Kept<R>>({ _id: id } as Filter<Kept<R>>);
      return before?.reply ? { fingerprint: before.fingerprint, reply: before.reply } : 'running';
    },
    async finish(id: string, reply: R): Promise<void> {
      await keys.updateOne({ _id: id }, { $set: { reply, expiresAt: at(KEPT_FOR_MS) } });
    },
    async forget(id: string): Promise<void> {
      await keys.deleteOne({ _id: id });
    },
  };
}
