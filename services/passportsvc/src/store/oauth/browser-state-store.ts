import { createHash } from 'node:crypto';
import { isDuplicateKey, trusted } from '@dtplatform/mongo';
import type { Model } from '@dtplatform/mongo';
import type { BrowserState } from '../../domain/oauth/browser-state.js';
import type { BrowserStateStore } from '../../domain/oauth/ports.js';

/** Makes a session an ended one. It remains, without its content, until it would have expired. */
export const ENDED = { $set: { state: {}, isEnded: true }, $unset: { uid: 1 } } as const;

/** Keeps state under the hash of an id that only the browser's cookie contains. */
export function createBrowserStateStore(states: Model<BrowserState>): BrowserStateStore {
  // The TTL index removes expired documents up to a minute late. By the driver, for speed (bench row `code-and-refresh`).
  const find = async (filter: { _id: string } | { uid: string }) =>
    (
      await states.collection.findOne<BrowserState>({
        ...(filter as object),
        isEnded: { $ne: true },
        expiresAt: { $gt: new Date() },
      })
    )?.state;

  return {
    async put(id, state, expiresInSec) {
      const uid = typeof state.uid === 'string' ? state.uid : undefined;
      const expiresAt = new Date(Date.now() + expiresInSec * 1000);
      try {
        await states.replaceOne({ _id: hashOf(id), ...notEnded() }, { uid, state, expiresAt }, { upsert: true });
      } catch (error) {
        // It has ended since this request read it, and stays so.
        if (!isDuplicateKey(error)) throw error;
      }
    },
    find: (id) => find({ _id: hashOf(id) }),
    findByUid: (uid) => find({ uid }),
    remove: async (id) => void (await states.updateOne({ _id: hashOf(id) }, ENDED)),
  };
}

const notEnded = () => ({ isEnded: trusted({ $ne: true }) });
const hashOf = (id: string) => createHash('sha256').update(id).digest('base64url');
