import { createLeases, keepLease } from '@dtplatform/lease';
import { trusted } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { MessageType, Outbox } from '@dtplatform/queue';
import type { Load } from '../../domain/filestore/load.js';
import type { LoadStore, WantedLoad } from '../../domain/filestore/ports.js';
import { leaseLoads } from './lease-loads.js';
import { loadModel } from './load.model.js';

const HEARTBEAT_MS = 5_000;
/** A load without a heartbeat for this long counts as lost. */
const LEASE_MS = 60_000;

const UNENDED: Load['_status'][] = ['QUEUED', 'LOADING'];
const HAS_ENDED = { _status: trusted({ $nin: UNENDED }) };
const IS_UNENDED = { _status: trusted({ $in: UNENDED }) };
/** Fields of the previous version. */
const NO_FORMER_CLAIM = { '_work.claim': '$$REMOVE', '_work.checkAt': '$$REMOVE' };
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

  // Each request has its own id, since the queue may still hold the job of an earlier one. The queue forgets a job when it
  // ends, so that a load whose job failed permanently can be queued again.
  const queue = (session: ClientSession, queued: Load[]) =>
    outbox.putMany(
      session,
      process,
      queued.map(({ _id, _work }) => ({ payload: { loadId: _id }, id: `${_id}-${_work.requests}`, forget: true })),
    );

  return {
    enqueue: (wanted, namespace) =>
      mongo.transaction(async (session) => {
        const known = await loads
          .find({ _id: trusted({ $in: wanted.map(({ _id }) => _id) }) }, null, { session })
          .lean();
        const byId = new Map(known.map((load) => [load._id, load]));
        const current = known.filter(({ _status }) => CURRENT.includes(_status)).map(({ _id }) => _id);
        if (current.length > 0) {
          const isCurrent = { _id: trusted({ $in: current }) };
          await loads.updateMany(isCurrent, { $set: { _requestedAt: Date.now() } }, { session });
        }
        const queued = wanted
          .filter(({ _id }) => !current.includes(_id))
          .map((load) => queuedLoad(load, namespace, byId.get(load._id)));
        if (queued.length === 0) return;
        const replacements = queued.map((replacement) => ({
          replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true },
        }));
        await loads.bulkWrite(replacements, { session });
        await queue(session, queued);
      }),
    claim: (_id) =>
      leases.claim(
        { _id, ...IS_UNENDED },
        {
          takeOver: true,
          set: { _status: 'LOADING', _updatedAt: Date.now(), ...NO_FORMER_CLAIM },
        },
      ),
    keep: (load, signal) => keepLease(leases, load, { signal, heartbeatMs: HEARTBEAT_MS }),
    keepMultipart: (load, multipartId) => leases.write(load, { $set: { '_work.multipartId': multipartId } }),
    end(load, end) {
      const $set = { _message: '', ...end, _updatedAt: Date.now() };
      const $unset = end._status === 'LOADED' ? { '_work.multipartId': 1 } : {};
      return leases.write(load, { $set, $unset }, { release: true });
    },
    async latest(_fileId, _fileVersionId) {
      const version = _fileVersionId === undefined ? {} : { _fileVersionId };
      return (
        (await loads
          .findOne({ _fileId, ...version })
          .sort({ _requestedAt: -1 })
          .lean()) ?? undefined
      );
    },
    async requeueLost() {
      await leaseLoads(mongo.db);
      const lost = await leases.findLost(IS_UNENDED);
      if (lost.length === 0) return 0;
      await mongo.transaction((session) => queue(session, lost));
      await leases.extendLost({ _id: { $in: lost.map(({ _id }) => _id) } });
      return lost.length;
    },
    findLeftovers: (limit) =>
      loads
        .find({ ...HAS_ENDED, '_work.multipartId': trusted({ $exists: true }) })
        .limit(limit)
        .lean(),
    async forgetMultipart({ _id, _work: { multipartId } }) {
      const filter = { ...HAS_ENDED, _id, '_work.multipartId': multipartId };
      await loads.updateOne(filter, { $unset: { '_work.multipartId': 1 } });
    },
  };
}

function queuedLoad(wanted: WantedLoad, namespace: string, before: Load | undefined): Load {
  const now = Date.now();
  const { requests = 0, lease, multipartId } = before?._work ?? {};
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
      // By the clock of this process: if it is slow, the load is queued twice, which has no effect.
      lease: { fence, until: new Date(now + LEASE_MS) },
      firstFence: fence,
      ...(multipartId !== undefined && { multipartId }),
    },
  };
}
