import { createHash } from 'node:crypto';
import type { Db } from 'mongodb';

/** What the sign-in keeps between requests, as plain data. */
export type State = Record<string, unknown>;

export interface OAuthStateStore {
  put(id: string, state: State, expiresInSec: number): Promise<void>;
  find(id: string): Promise<State | undefined>;
  /** @param uid the state's own field of this name */
  findByUid(uid: string): Promise<State | undefined>;
  remove(id: string): Promise<void>;
}

interface StoredState {
  _id: string;
  uid?: string;
  state: State;
  expiresAt: Date;
}

/** State by an id that only the browser's cookie has: the id is stored hashed. */
export function createOAuthStateStore(db: Db, collection: 'oauth_sessions' | 'oauth_interactions'): OAuthStateStore {
  const states = db.collection<StoredState>(collection);
  // The TTL index removes what has expired, but up to a minute late.
  const current = () => ({ expiresAt: { $gt: new Date() } });

  return {
    async put(id, state, expiresInSec) {
      const stored = {
        ...(typeof state.uid === 'string' ? { uid: state.uid } : {}),
        state,
        expiresAt: new Date(Date.now() + expiresInSec * 1000),
      };
      await states.replaceOne({ _id: hashOf(id) }, stored, { upsert: true, ignoreUndefined: true });
    },
    find: async (id) => (await states.findOne({ _id: hashOf(id), ...current() }))?.state,
    findByUid: async (uid) => (await states.findOne({ uid, ...current() }))?.state,
    remove: async (id) => void (await states.deleteOne({ _id: hashOf(id) })),
  };
}

const hashOf = (id: string) => createHash('sha256').update(id).digest('base64url');
