import type { Model } from '@dtplatform/mongo';
import type { Load } from '../../domain/filestore/load.js';
import type { LoadStore } from '../../domain/filestore/ports.js';

const USE_IS_KNOWN_TO_MS = 60_000;

/** Loads for those who ask about them and read them. */
export const loadReads = (loads: Model<Load>): Pick<LoadStore, 'latest' | 'latestOf' | 'touch'> => ({
  async latest(_fileId, _fileVersionId) {
    const version = _fileVersionId === undefined ? {} : { _fileVersionId };
    return (
      (await loads
        .findOne({ _fileId, ...version })
        .sort({ _requestedAt: -1 })
        .lean()) ?? undefined
    );
  },
  async latestOf(fileIds) {
    const found = await loads.aggregate<{ load: Load }>([
      { $match: { _fileId: { $in: fileIds } } },
      { $sort: { _fileId: 1, _requestedAt: -1 } },
      { $group: { _id: '$_fileId', load: { $first: '$$ROOT' } } },
    ]);
    return found.map(({ load }) => load);
  },
  async touch(load) {
    const now = Date.now();
    if (now - (load._work.usedAt ?? 0) <= USE_IS_KNOWN_TO_MS) return load;
    await loads.updateOne({ _id: load._id }, { $set: { '_work.usedAt': now } });
    return { ...load, _work: { ...load._work, usedAt: now } };
  },
});
