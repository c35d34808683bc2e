import type { Mongo } from '@dtplatform/mongo';
import type { EvictionStore, LoadStore } from '../../domain/filestore/ports.js';
import { loadModel } from './load.model.js';

const RESTARTS = 10;

/** Which loads to evict, in MongoDB. */
export function createEvictionStore(mongo: Mongo, { restart }: Pick<LoadStore, 'restart'>): EvictionStore {
  const loads = mongo.model(loadModel);
  const LOADED = { _status: 'LOADED' as const };

  return {
    async totalBytes() {
      const [sum] = await loads.aggregate<{ bytes: number }>([
        { $match: LOADED },
        { $group: { _id: null, bytes: { $sum: '$_size' } } },
      ]);
      return sum?.bytes ?? 0;
    },
    leastRecentlyUsed: (limit) => loads.find(LOADED).sort({ '_work.usedAt': 1 }).limit(limit).lean(),
    async evict({ _id, _work: { usedAt } }) {
      const isUnused = { _id, ...LOADED, '_work.usedAt': usedAt };
      const evicted = await loads.updateOne(isUnused, { $set: { _status: 'EVICTED', _updatedAt: Date.now() } });
      return evicted.modifiedCount > 0;
    },
    async keep({ _id }) {
      await loads.updateOne({ _id, _status: 'EVICTED' }, { $set: { ...LOADED, _updatedAt: Date.now() } });
    },
    async restartUnlessEvicted(_id) {
      // Its process may end the load just then.
      for (let attempt = 0; attempt < RESTARTS; attempt++) {
        const load = await loads.findById(_id).lean();
        if (!load || load._status === 'EVICTED' || (await restart(load))) return;
      }
    },
  };
}
