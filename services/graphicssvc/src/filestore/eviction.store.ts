import type { Mongo } from '@dtplatform/mongo';
import type { Load } from './load.js';
import { loadModel } from './load.model.js';
import type { LoadStore } from './loads.store.js';

const RESTARTS = 10;

export function createEvictionStore(mongo: Mongo, { restart }: Pick<LoadStore, 'restart'>) {
  const loads = mongo.model(loadModel);
  const LOADED = { _status: 'LOADED' as const };

  return {
    async totalBytes(): Promise<number> {
      const [sum] = await loads.aggregate<{ bytes: number }>([
        { $match: LOADED },
        { $group: { _id: null, bytes: { $sum: '$_size' } } },
      ]);
      return sum?.bytes ?? 0;
    },
    leastRecentlyUsed: (limit: number): Promise<Load[]> =>
      loads.find(LOADED).sort({ '_work.usedAt': 1 }).limit(limit).lean(),
    /** @returns false when it was used or changed in the meantime */
    async evict({ _id, _work: { usedAt } }: Load): Promise<boolean> {
      const isUnused = { _id, ...LOADED, '_work.usedAt': usedAt };
      const evicted = await loads.updateOne(isUnused, { $set: { _status: 'EVICTED', _updatedAt: Date.now() } });
      return evicted.modifiedCount > 0;
    },
    /** Reverts an eviction whose object could not be removed. */
    async keep({ _id }: Load): Promise<void> {
      await loads.updateOne({ _id, _status: 'EVICTED' }, { $set: { ...LOADED, _updatedAt: Date.now() } });
    },
    async restartUnlessEvicted(_id: string): Promise<void> {
      // The load may end concurrently.
      for (let attempt = 0; attempt < RESTARTS; attempt++) {
        const load = await loads.findById(_id).lean();
        if (!load || load._status === 'EVICTED' || (await restart(load))) return;
      }
    },
  };
}

export type EvictionStore = ReturnType<typeof createEvictionStore>;
