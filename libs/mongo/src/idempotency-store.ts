import type { Db, Document } from 'mongodb';
import { isDuplicateKey } from './errors.js';
import { newId } from './ids.js';
import type { IndexPlan } from './indexes.js';

const KEYS = 'idempotency_keys';
const KEPT_FOR_MS = 24 * 3600 * 1000;
/** A request whose process died leaves its key free after this time. */
const CLAIM_MS = 30_000;
const EXTENSIONS_PER_CLAIM = 3;

interface Kept<R> {
  _id: string;
  fingerprint: string;
  /** Who works on the request: of two that hold the key one after the other, only the later may write. */
  owner: string;
  reply?: R;
  expiresAt: Date;
}

export const idempotencyIndexes: IndexPlan = {
  [KEYS]: [{ key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 }],
};

/** Keeps the replies of requests with an idempotency key for a day. Times of claims are the server's. */
export function createIdempotencyStore<R extends object>(db: Db, { claimMs = CLAIM_MS } = {}) {
  const keys = db.collection<Kept<R>>(KEYS);

  /** The key's entry: ours, when nobody has it. */
  async function take(id: string, fingerprint: string, owner: string): Promise<Kept<R> | undefined> {
    const isFree = { $lte: [{ $ifNull: ['$expiresAt', new Date(0)] }, '$$NOW'] };
    const ours = { _id: '$_id', fingerprint: { $literal: fingerprint }, owner, expiresAt: inMs(claimMs) };
    const update = [{ $replaceWith: { $cond: [isFree, ours, '$$ROOT'] } }];
    try {
      const entry = await keys.findOneAndUpdate(byId(id), update, { upsert: true, returnDocument: 'after' });
      return entry as Kept<R>;
    } catch (error) {
      // Two came at the same time, and the other was faster.
      if (isDuplicateKey(error)) return undefined;
      throw error;
    }
  }

  /** A key that is held until the request ends. */
  function claim(id: string, owner: string) {
    const held: Document = { _id: id, owner, reply: { $exists: false } };
    const extend = () => keys.updateOne(held, [{ $set: { expiresAt: inMs(claimMs) } }]);
    const timer = setInterval(() => void extend().catch(() => undefined), claimMs / EXTENSIONS_PER_CLAIM).unref();
    return {
      async finish(reply: R): Promise<void> {
        clearInterval(timer);
        await keys.updateOne(held, { $set: { reply, expiresAt: new Date(Date.now() + KEPT_FOR_MS) } as Document });
      },
      async forget(): Promise<void> {
        clearInterval(timer);
        await keys.deleteOne(held);
      },
    };
  }

  return {
    async begin(id: string, fingerprint: string) {
      const owner = newId();
      const entry = await take(id, fingerprint, owner);
      if (entry?.owner === owner) return claim(id, owner);
      return entry?.reply ? { fingerprint: entry.fingerprint, reply: entry.reply } : ('running' as const);
    },
  };
}

const byId = (_id: string): Document => ({ _id });
const inMs = (timeMs: number) => ({ $add: ['$$NOW', timeMs] });
