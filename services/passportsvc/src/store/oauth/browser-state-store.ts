import { createHash } from 'node:crypto';
import type { Db } from 'mongodb';
import type { BrowserState } from '../../domain/oauth/browser-state.js';
import type { BrowserStateStore } from '../../domain/oauth/ports.js';

/** Keeps state under the hash of an id that only the browser's cookie contains. */
export function createBrowserStateStore(
  db: Db,
  collection: 'oauth_sessions' | 'oauth_interactions',
): BrowserStateStore {
  const states = db.collection<BrowserState>(collection);
  // The TTL index removes expired documents up to a minute late.
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
