import type { Model } from '@dtplatform/mongo';
import type { Load } from '../../domain/filestore/load.js';
import type { LoadStore } from '../../domain/filestore/ports.js';

const USE_IS_KNOWN_TO_MS = 60_000;

/** Loads for those who ask about them and read them. */
export const loadReads = (loads: Model<Load>): Pick<LoadStore, 'find' | 'defaultsOf' | 'touch'> => ({
  async find({ _fileId, _fileVersionId }, first) {
    if (_fileVersionId === undefined) return (await defaultsOf(loads, [_fileId], first))[0];
    return (await loads.findOne({ _fileId, _fileVersionId }).lean()) ?? undefined;
  },
  defaultsOf: (fileIds, first) => defaultsOf(loads, fileIds, first),
  async touch(load) {
    const now = Date.now();
    if (now - (load._work.usedAt ?? 0) <= USE_IS_KNOWN_TO_MS) return load;
    await loads.updateOne({ _id: load._id }, { $set: { '_work.usedAt': now } });
    return { ...load, _work: { ...load._work, usedAt: now } };
  },
});

async function defaultsOf(loads: Model<Load>, fileIds: string[], first: readonly Load['_status'][]): Promise<Load[]> {
  const found = await loads.aggregate<{ load: Load }>([
    { $match: { _fileId: { $in: fileIds } } },
    { $set: { isFirst: { $in: ['$_status', first] } } },
    { $sort: { isFirst: -1, '_work.latestAt': -1, _requestedAt: -1 } },
    { $unset: 'isFirst' },
    { $group: { _id: '$_fileId', load: { $first: '$$ROOT' } } },
  ]);
  return found.map(({ load }) => load);
}
