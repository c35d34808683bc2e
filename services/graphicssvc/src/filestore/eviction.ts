import type { EvictionStore } from './eviction.store.js';
import type { FileCache } from './file-cache.store.js';
import type { Load } from './load.js';

const BATCH = 100;
const DAY_MS = 86_400_000;

interface EvictionLimits {
  /** Bytes of all loaded versions; 0 for no limit. */
  maxBytes: number;
  /** Days since a version was last requested or read; 0 for no limit. */
  maxIdleDays: number;
}

interface Deps extends EvictionLimits {
  evictionStore: EvictionStore;
  cache: Pick<FileCache, 'remove'>;
}

/** Keeps the store within its limits. Run it in one process at a time. */
export function createEviction({ evictionStore, cache, maxBytes, maxIdleDays }: Deps) {
  async function evict(load: Load): Promise<boolean> {
    if (!(await evictionStore.evict(load))) return false;
    try {
      await cache.remove(load);
    } catch (error) {
      // Otherwise nobody would remove the object. If it is gone anyway, a read notices.
      await evictionStore.keep(load);
      throw error;
    }
    // It may have been requested and stored again before the object was removed.
    await evictionStore.restartUnlessEvicted(load._id);
    return true;
  }

  return {
    /**
     * Evicts idle versions, then the least recently used until the rest fits. Their loads remain as EVICTED, so that
     * they can be requested again.
     * @returns the number of versions and their bytes
     */
    async run(signal: AbortSignal): Promise<{ count: number; bytes: number }> {
      const evicted = { count: 0, bytes: 0 };
      let total = await evictionStore.totalBytes();
      const usedBefore = maxIdleDays === 0 ? -Infinity : Date.now() - maxIdleDays * DAY_MS;
      const isTooMuch = ({ _work: { usedAt } }: Load) => (maxBytes > 0 && total > maxBytes) || usedAt < usedBefore;
      for (;;) {
        const oldest = await evictionStore.leastRecentlyUsed(BATCH);
        const before = evicted.count;
        for (const load of oldest) {
          signal.throwIfAborted();
          if (!isTooMuch(load)) return evicted;
          if (!(await evict(load))) continue;
          total -= load._size;
          evicted.count += 1;
          evicted.bytes += load._size;
        }
        if (evicted.count === before) return evicted;
      }
    },
  };
}

export type Eviction = ReturnType<typeof createEviction>;
