import type { AnyBulkWriteOperation, Filter, UpdateFilter } from 'mongodb';
import { newId } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { loadId } from '../../domain/filestore/load.js';
import type { Load } from '../../domain/filestore/load.js';
import type { LoadStore, WantedLoad } from '../../domain/ports.js';
import { LOADS } from '../indexes.js';
import { LOST_AFTER_MS } from './lost-loads.js';
import type { EnqueueLoads } from './lost-loads.js';

const UNENDED: Load['_status'][] = ['QUEUED', 'LOADING'];
/** Requesting these again queues nothing. */
const CURRENT: Load['_status'][] = [...UNENDED, 'LOADED'];

/** Loads in MongoDB. */
export function createLoadStore(mongo: Mongo, enqueue: EnqueueLoads): LoadStore {
  const loads = mongo.db.collection<Load>(LOADS);

  const held = (load: Load): Filter<Load> => ({ _id: load._id, '_work.claim': load._work.claim });
  const write = async (filter: Filter<Load>, update: UpdateFilter<Load>) => {
    const { matchedCount } = await loads.updateOne(filter, update, { ignoreUndefined: true });
    return matchedCount === 1;
  };

  return {
    enqueue: (wanted, namespace) =>
      mongo.transaction(async (session) => {
        const known = await loads.find({ _id: { $in: wanted.map(idOf) } }, { session }).toArray();
        const byId = new Map(known.map((load) => [load._id, load]));
        const current = known.filter(({ _status }) => CURRENT.includes(_status)).map(({ _id }) => _id);
        if (current.length > 0) {
          await loads.updateMany({ _id: { $in: current } }, { $set: { _requestedAt: Date.now() } }, { session });
        }
        const queued = wanted
          .filter((load) => !current.includes(idOf(load)))
          .map((load) => queuedLoad(load, namespace, byId.get(idOf(load))));
        if (queued.length === 0) return;
        await loads.bulkWrite(queued.map(replacing), { session, ignoreUndefined: true });
        await enqueue(session, queued);
      }),
    async claim(id) {
      const now = Date.now();
      const load = await loads.findOneAndUpdate(
        { _id: id, _status: { $in: UNENDED } },
        {
          $set: {
            _status: 'LOADING',
            _updatedAt: now,
            '_work.claim': newId(),
            '_work.checkAt': now + LOST_AFTER_MS,
          },
          $inc: { '_work.claims': 1 },
        },
        { returnDocument: 'after' },
      );
      return load ?? undefined;
    },
    heartbeat: (load) => write(held(load), { $set: { '_work.checkAt': Date.now() + LOST_AFTER_MS } }),
    keepMultipart: (load, multipartId) => write(held(load), { $set: { '_work.multipartId': multipartId } }),
    end: (load, { status, message = '', size }) =>
      write(held(load), {
        $set: { _status: status, _message: message, _size: size, _updatedAt: Date.now() },
        $unset: { '_work.checkAt': 1, '_work.claim': 1, ...(status === 'LOADED' ? { '_work.multipartId': 1 } : {}) },
      }),
    async latest(fileId, fileVersionId) {
      const version = fileVersionId === undefined ? {} : { _fileVersionId: fileVersionId };
      return (await loads.findOne({ _fileId: fileId, ...version }, { sort: { _requestedAt: -1 } })) ?? undefined;
    },
  };
}

const idOf = ({ fileId, fileVersionId }: WantedLoad) => loadId(fileId, fileVersionId);

function queuedLoad({ fileId, fileVersionId, size }: WantedLoad, namespace: string, before: Load | undefined): Load {
  const now = Date.now();
  return {
    _id: loadId(fileId, fileVersionId),
    _fileId: fileId,
    _fileVersionId: fileVersionId,
    _status: 'QUEUED',
    _size: size,
    _message: '',
    _requestedAt: now,
    _updatedAt: now,
    _work: {
      namespace,
      requests: (before?._work.requests ?? 0) + 1,
      claims: 0,
      checkAt: now + LOST_AFTER_MS,
      multipartId: before?._work.multipartId,
    },
  };
}

const replacing = ({ _id, ...replacement }: Load): AnyBulkWriteOperation<Load> => ({
  replaceOne: { filter: { _id }, replacement, upsert: true },
});
