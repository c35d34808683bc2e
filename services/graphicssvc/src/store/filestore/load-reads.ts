import { oneOf } from '@dtplatform/mongo';
import type { Model } from '@dtplatform/mongo';
import { loadId } from '../../domain/filestore/load.js';
import type { Load } from '../../domain/filestore/load.js';
import type { LoadStore } from '../../domain/filestore/ports.js';

type Statuses = readonly Load['_status'][];

const USE_IS_KNOWN_TO_MS = 60_000;

/** Loads for those who ask about them and read them. */
export const loadReads = (loads: Model<Load>): Pick<LoadStore, 'find' | 'defaultsOf' | 'touch'> => ({
  async find({ _fileId, _fileVersionId }, first) {
    if (_fileVersionId === undefined) return defaultOf(loads, _fileId, first);
    return (await loads.findOne({ _id: loadId(_fileId, _fileVersionId), _fileId, _fileVersionId }).lean()) ?? undefined;
  },
  defaultsOf: (fileIds, first) => defaultsOf(loads, fileIds, first),
  async touch(load) {
    const now = Date.now();
    if (now - load._work.usedAt <= USE_IS_KNOWN_TO_MS) return load;
    await loads.updateOne({ _id: load._id }, { $set: { '_work.usedAt': now } });
    return { ...load, _work: { ...load._work, usedAt: now } };
  },
});

/** The order of `defaultsOf`, which is that of an index. */
const NEWEST = { '_work.latestAt': -1, _requestedAt: -1 } as const;

/** One of another status only where there is none of the first ones. */
async function defaultOf(loads: Model<Load>, _fileId: string, first: Statuses): Promise<Load | undefined> {
  const isFirst = { $or: [{ _status: oneOf(first) }, { '_work.wasLoaded': true }] };
  const newest = (filter: object) =>
    loads
      .findOne({ _fileId, ...filter })
      .sort(NEWEST)
      .lean();
  return (await newest(isFirst)) ?? (await newest({})) ?? undefined;
}

async function defaultsOf(loads: Model<Load>, fileIds: string[], first: Statuses): Promise<Load[]> {
  const newest = async (ids: string[], filter: object) => {
    const found = await loads.aggregate<{ load: Load }>([
      { $match: { _fileId: { $in: ids }, ...filter } },
      { $sort: { _fileId: 1, ...NEWEST } },
      { $group: { _id: '$_fileId', load: { $first: '$$ROOT' } } },
    ]);
    return found.map(({ load }) => load);
  };
  const found = await newest(fileIds, { $or: [{ _status: { $in: first } }, { '_work.wasLoaded': true }] });
  const known = new Set(found.map(({ _fileId }) => _fileId));
  const others = fileIds.filter((id) => !known.has(id));
  return others.length === 0 ? found : [...found, ...(await newest(others, {}))];
}
