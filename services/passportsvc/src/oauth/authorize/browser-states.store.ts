import { createHash } from 'node:crypto';
import { z } from 'zod';
import { coalesce, isDuplicateKey, modelOf, not, SHARED_WRITE } from '@dtplatform/mongo';
import type { Model } from '@dtplatform/mongo';

export const BrowserState = z.object({
  /** Hash of the id in the browser's cookie. */
  _id: z.string(),
  uid: z.string().optional(),
  state: z.record(z.string(), z.unknown()),
  expiresAt: z.date(),
  /** Set when it has ended: a concurrent request must not store it again. */
  isEnded: z.boolean().optional(),
});
export type BrowserState = z.infer<typeof BrowserState>;

const expiry = { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 } as const;

export const sessionModel = modelOf('oauth_sessions', BrowserState, {
  indexes: [{ key: { uid: 1 }, name: 'uid' }, { key: { 'state.accountId': 1 }, name: 'account' }, expiry],
});
export const interactionModel = modelOf('oauth_interactions', BrowserState, {
  indexes: [
    // Sign-ins that have not reached their app; others have no user yet.
    { key: { 'state.result.login.accountId': 1 }, name: 'account', sparse: true },
    expiry,
  ],
});

/** Ends a session. The empty document remains until the session would have expired. */
export const ENDED = { $set: { state: {}, isEnded: true }, $unset: { uid: 1 } } as const;

/** Stores state under the hash of an id that only the browser's cookie contains. */
export function createBrowserStateStore(states: Model<BrowserState>) {
  // The TTL index removes expired documents up to a minute late. Bypasses mongoose for speed (bench row
  // `code-and-refresh`).
  const list = (filter: object) =>
    states.collection
      .find<BrowserState>({ ...filter, isEnded: { $ne: true }, expiresAt: { $gt: new Date() } })
      .toArray();
  const find = coalesce(async (ids: string[]) => {
    const found = new Map((await list({ _id: { $in: ids } })).map(({ _id, state }) => [_id, state]));
    return ids.map((id) => found.get(id));
  }, SHARED_WRITE);

  return {
    async put(id: string, state: BrowserState['state'], expiresInSec: number): Promise<void> {
      const uid = typeof state.uid === 'string' ? state.uid : undefined;
      const expiresAt = new Date(Date.now() + expiresInSec * 1000);
      try {
        await states.replaceOne({ _id: hashOf(id), ...notEnded() }, { uid, state, expiresAt }, { upsert: true });
      } catch (error) {
        // The session has ended since this request read it.
        if (!isDuplicateKey(error)) throw error;
      }
    },
    find: (id: string): Promise<BrowserState['state'] | undefined> => find(hashOf(id)),
    /** @param uid the `uid` of the state */
    findByUid: async (uid: string): Promise<BrowserState['state'] | undefined> => (await list({ uid }))[0]?.state,
    remove: async (id: string): Promise<void> => void (await states.updateOne({ _id: hashOf(id) }, ENDED)),
  };
}

export type BrowserStateStore = ReturnType<typeof createBrowserStateStore>;

const notEnded = () => ({ isEnded: not(true) });
const hashOf = (id: string) => createHash('sha256').update(id).digest('base64url');
