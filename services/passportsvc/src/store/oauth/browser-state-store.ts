import { createHash } from 'node:crypto';
import { trusted } from '@dtplatform/mongo';
import type { Model } from '@dtplatform/mongo';
import type { BrowserState } from '../../domain/oauth/browser-state.js';
import type { BrowserStateStore } from '../../domain/oauth/ports.js';

/** Keeps state under the hash of an id that only the browser's cookie contains. */
export function createBrowserStateStore(states: Model<BrowserState>): BrowserStateStore {
  // The TTL index removes expired documents up to a minute late.
  const find = async (filter: Partial<BrowserState>) =>
    (await states.findOne({ ...filter, expiresAt: trusted({ $gt: new Date() }) }).lean())?.state;

  return {
    async put(id, state, expiresInSec) {
      const uid = typeof state.uid === 'string' ? state.uid : undefined;
      const expiresAt = new Date(Date.now() + expiresInSec * 1000);
      await states.replaceOne({ _id: hashOf(id) }, { uid, state, expiresAt }, { upsert: true });
    },
    find: (id) => find({ _id: hashOf(id) }),
    findByUid: (uid) => find({ uid }),
    remove: async (id) => void (await states.deleteOne({ _id: hashOf(id) })),
    removeOfAccount: async (accountId) => void (await states.deleteMany({ 'state.accountId': accountId })),
  };
}

const hashOf = (id: string) => createHash('sha256').update(id).digest('base64url');
