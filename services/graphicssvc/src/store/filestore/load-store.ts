import { createLeases, keepLease } from '@dtplatform/lease';
import { oneOf } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { MessageType, Outbox } from '@dtplatform/queue';
import { UNENDED } from '../../domain/filestore/load.js';
import type { Load } from '../../domain/filestore/load.js';
import type { LoadStore, WantedLoad } from '../../domain/filestore/ports.js';
import { loadLeftovers } from './load-leftovers.js';
import { loadReads } from './load-reads.js';
import { loadModel } from './load.model.js';

const HEARTBEAT_MS = 5_000;
const LEASE_MS = 60_000;

const IS_UNENDED = { _status: oneOf(UNENDED) };
/** Requesting these again queues nothing. */
const CURRENT: Load['_status'][] = [...UNENDED, 'LOADED'];

interface Deps {
  mongo: Mongo;
  outbox: Outbox;
  /** The message that starts a load, or continues it. */
  process: MessageType<{ loadId: string }>;
}

/** Loads in MongoDB. */
export function createLoadStore({ mongo, outbox, process }: Deps): LoadStore {
  const loads = mongo.model(loadModel);
  const leases = createLeases(loads, { path: '_work.lease', ttlMs: LEASE_MS });

  // Each request has its own id, since the queue may still hold the job of an earlier one.
  const queue = (session: ClientSession, queued: Load[]) =>
    outbox.putMany(
      session,
      process,
      queued.map(({ _id, _work }) => ({ payload: { loadId: _id }, id: `${_id}-${_work.requests}` })),
    );

  return {
    ...loadReads(loads),
    ...loadLeftovers(loads),
    enqueue: (wanted, namespace) =>
      mongo.transaction(async (session) => {
        const known = await loads.find({ _id: oneOf(wanted.map(({ _id }) => _id)) }, null, { session }).lean();
        const byId = new Map(known.map((load) => [load._id, load]));
        const current = new Set(known.filter(({ _status }) => CURRENT.includes(_status)).map(({ _id }) => _id));
        const queued = wanted
          .filter(({ _id }) => !current.has(_id))
          .map((load) => queuedLoad(load, namespace, byId.get(load._id)));
        await loads.bulkWrite(
          [
            ...wanted.filter(({ _id }) => current.has(_id)).map(requestedAgain),
            ...queued.map((replacement) => ({
              replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true },
            })),
          ],
          { session },
        );
        if (queued.length > 0) await queue(session, queued);
      }),
    claim: (_id) =>
      leases.claim({ _id, ...IS_UNENDED }, { takeOver: true, set: { _status: 'LOADING', _updatedAt: Date.now() } }),
    keep: (load, signal) => keepLease(leases, load, { signal, heartbeatMs: HEARTBEAT_MS }),
    keepMultipart: (load, multipartId) => leases.write(load, { $set: { '_work.multipartId': multipartId } }),
    end(load, end) {
      const $set = { _message: '', ...end, _updatedAt: Date.now() };
      const $unset = { '_work.wasLoaded': 1, ...(end._status === 'LOADED' && { '_work.multipartId': 1 }) };
      return leases.write(load, { $set, $unset }, { release: true });
    },
    restart: ({ _id, _status, _work: { requests, lease } }) =>
      mongo.transaction(async (session) => {
        const asItWas = { _id, _status, '_work.requests': requests, '_work.lease.fence': lease.fence };
        const again = await loads
          .findOneAndUpdate(
            asItWas,
            {
              $set: {
                _status: 'QUEUED',
                _updatedAt: Date.now(),
                '_work.wasLoaded': true,
              },
              $inc: { '_work.requests': 1, '_work.lease.fence': 1 },
            },
            { session, returnDocument: 'after' },
          )
          .lean();
        if (again) await queue(session, [again]);
        return again !== null;
      }),
    statusOf: async (_id) => (await loads.findById(_id, { _status: 1 }).lean())?._status,
  };
}

function requestedAgain({ _id, isLatest }: WantedLoad) {
  const now = Date.now();
  const $set = { _requestedAt: now, '_work.usedAt': now, ...(isLatest && { '_work.latestAt': now }) };
  return { updateOne: { filter: { _id }, update: { $set } } };
}

function queuedLoad({ isLatest, ...wanted }: WantedLoad, namespace: string, before: Load | undefined): Load {
  const now = Date.now();
  const { requests = 0, lease, multipartId } = before?._work ?? {};
  const latestAt = isLatest ? now : before?._work.latestAt;
  const wasLoaded = before?._status === 'EVICTED';
  const fence = lease?.fence ?? 0;
  return {
    ...wanted,
    _status: 'QUEUED',
    _message: '',
    _requestedAt: now,
    _updatedAt: now,
    _work: {
      namespace,
      requests: requests + 1,
      lease: { fence },
      firstFence: fence,
      usedAt: now,
      ...(latestAt !== undefined && { latestAt }),
      ...(wasLoaded && { wasLoaded }),
      ...(multipartId !== undefined && { multipartId }),
    },
  };
}
