import type { ClientSession, Filter, UpdateFilter } from 'mongodb';
import { newId } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { loadId } from '../domain/load.js';
import type { Load, LoadStatus } from '../domain/load.js';
import type { LoadStore, WantedLoad } from '../domain/ports.js';
import { LOADS } from './indexes.js';
import { LOST_AFTER_MS } from './lost-loads.js';
import type { EnqueueLoad } from './lost-loads.js';

const UNENDED: LoadStatus[] = ['QUEUED', 'LOADING'];
/** On their way, or there already. */
const GOOD: LoadStatus[] = [...UNENDED, 'LOADED'];

/** Loads in MongoDB. */
export function createLoadStore(mongo: Mongo, enqueue: EnqueueLoad): LoadStore {
  const loads = mongo.db.collection<Load>(LOADS);

  const held = (load: Load): Filter<Load> => ({ _id: load._id, '_work.claim': load._work.claim });
  const write = async (filter: Filter<Load>, update: UpdateFilter<Load>) => {
    const { matchedCount } = await loads.updateOne(filter, update, { ignoreUndefined: true });
    return matchedCount === 1;
  };

  async function queue({ fileId, fileVersionId, size }: WantedLoad, namespace: string, session: ClientSession) {
    const now = Date.now();
    const load = await loads.findOneAndUpdate(
      { _id: loadId(fileId, fileVersionId) },
      {
        $setOnInsert: { _fileId: fileId, _fileVersionId: fileVersionId },
        $set: {
          _status: 'QUEUED',
          _size: size,
          _message: '',
          _requestedAt: now,
          _updatedAt: now,
          '_work.namespace': namespace,
          '_work.claims': 0,
          '_work.checkAt': now + LOST_AFTER_MS,
        },
        $inc: { '_work.requests': 1 },
        $unset: { '_work.claim': 1 },
      },
      { session, upsert: true, returnDocument: 'after' },
    );
    await enqueue(session, load!);
  }

  return {
    enqueue: (wanted, namespace) =>
      mongo.transaction(async (session) => {
        const ids = wanted.map(({ fileId, fileVersionId }) => loadId(fileId, fileVersionId));
        const good = { _id: { $in: ids }, _status: { $in: GOOD } };
        const kept = await loads.find(good, { session, projection: { _id: 1 } }).toArray();
        const keptIds = new Set(kept.map(({ _id }) => _id));
        await loads.updateMany({ _id: { $in: [...keptIds] } }, { $set: { _requestedAt: Date.now() } }, { session });
        for (const [index, load] of wanted.entries()) {
          if (!keptIds.has(ids[index]!)) await queue(load, namespace, session);
        }
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
