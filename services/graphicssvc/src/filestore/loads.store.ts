import { createLeases, keepLease } from '@dtplatform/lease';
import type { KeptLease } from '@dtplatform/lease';
import { exists, noneOf, oneOf } from '@dtplatform/mongo';
import type { ClientSession, Model, Mongo } from '@dtplatform/mongo';
import type { MessageType, Outbox } from '@dtplatform/queue';
import { loadId, UNENDED } from './load.js';
import type { Load, LoadEnd, LoadRequest, WantedLoad } from './load.js';
import { loadModel } from './load.model.js';

const HEARTBEAT_MS = 5_000;
const LEASE_MS = 60_000;
const USE_IS_KNOWN_TO_MS = 60_000;

type Statuses = readonly Load['_status'][];

const IS_UNENDED = { _status: oneOf(UNENDED) };
const HAS_ENDED = { _status: noneOf(UNENDED) };
const CURRENT: Load['_status'][] = [...UNENDED, 'LOADED'];

interface Deps {
  mongo: Mongo;
  outbox: Outbox;
  process: MessageType<{ loadId: string }>;
}

export function createLoadStore({ mongo, outbox, process }: Deps) {
  const loads = mongo.model(loadModel);
  const leases = createLeases(loads, { path: '_work.lease', ttlMs: LEASE_MS });

  // Each request has a new id, since the queue may still hold the job of an earlier one.
  const queue = (session: ClientSession, queued: Load[]) =>
    outbox.putMany(
      session,
      process,
      queued.map(({ _id, _work }) => ({ payload: { loadId: _id }, id: `${_id}-${_work.requests}` })),
    );

  return {
    /** Stores loads and queues those that are neither in progress nor loaded, in one transaction. */
    enqueue: (wanted: WantedLoad[], namespace: string): Promise<void> =>
      mongo.transaction(async (session) => {
        const known = await loads.find({ _id: oneOf(wanted.map(({ _id }) => _id)) }, null, { session }).lean();
        const { queued, writes } = requestsOf(wanted, known, namespace);
        await loads.bulkWrite(writes, { session });
        if (queued.length > 0) await queue(session, queued);
      }),
    /** Starts or takes over a load; undefined when it has ended. */
    claim: (_id: string): Promise<Load | undefined> =>
      leases.claim({ _id, ...IS_UNENDED }, { takeOver: true, set: { _status: 'LOADING', _updatedAt: Date.now() } }),
    /**
     * Sends heartbeats.
     * @param signal ends the work for another reason
     */
    keep: (load: Load, signal: AbortSignal): KeptLease =>
      keepLease(leases, load, { signal, heartbeatMs: HEARTBEAT_MS }),
    keepMultipart: (load: Load, multipartId: string): Promise<boolean> =>
      leases.write(load, { $set: { '_work.multipartId': multipartId } }),
    end(load: Load, end: LoadEnd): Promise<boolean> {
      const $set = { _message: '', ...end, _updatedAt: Date.now() };
      const $unset = { '_work.wasLoaded': 1, ...(end._status === 'LOADED' && { '_work.multipartId': 1 }) };
      return leases.write(load, { $set, $unset }, { release: true });
    },
    /**
     * Requeues a load whose content is gone, and ends the lease of its process.
     * @returns false when the load has changed
     */
    restart: ({ _id, _status, _work: { requests, lease } }: Load): Promise<boolean> =>
      mongo.transaction(async (session) => {
        const asItWas = { _id, _status, '_work.requests': requests, '_work.lease.fence': lease.fence };
        const again = await loads
          .findOneAndUpdate(
            asItWas,
            {
              $set: { _status: 'QUEUED', _updatedAt: Date.now(), '_work.wasLoaded': true },
              $inc: { '_work.requests': 1, '_work.lease.fence': 1 },
            },
            { session, returnDocument: 'after' },
          )
          .lean();
        if (again) await queue(session, [again]);
        return again !== null;
      }),
    /** Undefined when the load was removed with its workspace. */
    statusOf: async (_id: string): Promise<Load['_status'] | undefined> =>
      (await loads.findById(_id, { _status: 1 }).lean())?._status,
    /** The load of a version, or the default one of a file (`defaultsOf`). */
    async find({ _fileId, _fileVersionId }: LoadRequest, first: Statuses): Promise<Load | undefined> {
      if (_fileVersionId === undefined) return defaultOf(loads, _fileId, first);
      return (
        (await loads.findOne({ _id: loadId(_fileId, _fileVersionId), _fileId, _fileVersionId }).lean()) ?? undefined
      );
    },
    /**
     * The default load of each file that has loads: the latest requested as the latest version, or else the latest
     * requested.
     * @param first preferred statuses; loads that are being reloaded are preferred, too
     */
    defaultsOf: (fileIds: string[], first: Statuses): Promise<Load[]> => defaultsOf(loads, fileIds, first),
    /**
     * Records a use, to the minute, for eviction.
     * @returns the load with the time of its use; pass it to the next call
     */
    async touch(load: Load): Promise<Load> {
      const now = Date.now();
      if (now - load._work.usedAt <= USE_IS_KNOWN_TO_MS) return load;
      await loads.updateOne({ _id: load._id }, { $set: { '_work.usedAt': now } });
      return { ...load, _work: { ...load._work, usedAt: now } };
    },
    /** Ended loads that may have left a multipart upload. */
    findLeftovers: (limit: number): Promise<Load[]> =>
      loads
        .find({ ...HAS_ENDED, '_work.multipartId': exists() })
        .limit(limit)
        .lean(),
    async forgetMultipart({ _id, _work: { multipartId } }: Load): Promise<void> {
      const filter = { ...HAS_ENDED, _id, '_work.multipartId': multipartId };
      await loads.updateOne(filter, { $unset: { '_work.multipartId': 1 } });
    },
  };
}

export type LoadStore = ReturnType<typeof createLoadStore>;

function requestsOf(wanted: WantedLoad[], known: Load[], namespace: string) {
  const byId = new Map(known.map((load) => [load._id, load]));
  const current = new Set(known.filter(({ _status }) => CURRENT.includes(_status)).map(({ _id }) => _id));
  const queued = wanted
    .filter(({ _id }) => !current.has(_id))
    .map((load) => queuedLoad(load, namespace, byId.get(load._id)));
  const writes = [
    ...wanted.filter(({ _id }) => current.has(_id)).map(requestedAgain),
    ...queued.map((replacement) => ({
      replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true },
    })),
  ];
  return { queued, writes };
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

/** The order of `defaultsOf`; matches an index. */
const NEWEST = { '_work.latestAt': -1, _requestedAt: -1 } as const;

/** Falls back to other statuses if there is none of `first`. */
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
