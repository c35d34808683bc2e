import { commonErrors } from '@dtplatform/errors';
import { createLeases, keepLease } from '@dtplatform/lease';
import { before, keyLoader, listPage, oneOf, revisionIn, scopeFilter, trusted } from '@dtplatform/mongo';
import type { ClientSession, Filter, Model, Mongo } from '@dtplatform/mongo';
import type { MessageType, Outbox } from '@dtplatform/queue';
import { createClaims, createRunWrites } from './held-runs.store.js';
import { createEnqueue, createRetries } from './queued-runs.store.js';
import type { Alongside } from './queued-runs.store.js';
import type { Run, RunStatus } from './run.js';
import { runModel } from './run.model.js';
import type { RunFilter, RunStore, RunSummary } from './runs.js';

const MAX_TIMESTAMP = 9_999_999_999_999;

/** Timestamps with the 13 digits of present-day ones compare as text in order of time. */
const timestampText = (ms: number): string => String(Math.min(Math.max(0, ms), MAX_TIMESTAMP)).padStart(13, '0');

const HEARTBEAT_MS = 5_000;
/** A run without a heartbeat for this long counts as lost. */
const LEASE_MS = 20_000;

const UNENDED = { _status: oneOf<RunStatus>(['QUEUED', 'RUNNING']) };
/** Fields that only an un-ended run has. */
const OF_UNENDED = ['_work.lease.until', '_work.mustNotRepeat', '_work.slots'];

interface Deps {
  mongo: Mongo;
  outbox: Outbox;
  /** The message that says that there are queued runs. */
  queued: MessageType<object>;
}

/** Runs in MongoDB. */
export function createRunStore({
  mongo,
  outbox,
  queued,
}: Deps): RunStore & { enqueue(run: Run, alongside?: Alongside): Promise<void> } {
  const runs = mongo.model(runModel);
  const leases = createLeases(runs, { path: '_work.lease', ttlMs: LEASE_MS });
  /** By the clock of this process. */
  const until = () => new Date(Date.now() + LEASE_MS);
  const announce = (session: ClientSession) => outbox.put(session, queued, {});

  return {
    enqueue: createEnqueue({ mongo, announce }),
    async insertClaimed(run) {
      const _work = { ...run._work, startedAt: Date.now(), lease: { fence: 1, until: until() } };
      const claimed: Run = { ...run, _status: 'RUNNING', _work };
      await mongo.create((session) => runs.insertMany([claimed], { session }), { early: () => claimed });
      return claimed;
    },
    ...createClaims(leases),
    keep: (run, signal) => keepLease(leases, run, { signal, heartbeatMs: HEARTBEAT_MS }),
    ...createRunWrites(leases),
    retry: createRetries({ mongo, until, announce }),
    async cancel(_id, precondition) {
      const ending = [{ $set: { _status: 'CANCELLED', _updatedat: String(Date.now()) } }, { $unset: OF_UNENDED }];
      const filter = { _id, ...UNENDED, ...revisionIn(precondition) };
      const options = { updatePipeline: true, projection: { '_work.retries': 1 }, lean: true } as const;
      const cancelled = (await runs.findOneAndUpdate(filter, ending, options)) as Run | null;
      if (cancelled) return { runId: _id, retries: cancelled._work.retries ?? 0 };
      if (await runs.exists({ _id, ...UNENDED })) throw commonErrors.preconditionFailed();
      return undefined;
    },
    ...createRunReads(runs),
    removeEndedBefore: (time, signal) => removeEnded(runs, timestampText(time), signal),
  };
}

const WITHOUT_PARAMETERS = { 'orchrunsteps._actualparams': 0 } as const;
const FOLLOWED_STEP = { $unsetField: { field: '_actualparams', input: '$$this' } };
const FOLLOWED = {
  $mergeObjects: ['$$ROOT', { orchrunsteps: { $map: { input: '$orchrunsteps', in: FOLLOWED_STEP } } }],
};
const SUMMARY = { _orchid: 1, _namespaces: 1, _status: 1, _revision: 1, bytes: { $bsonSize: FOLLOWED } };
/** What lists leave out. */
const WITHOUT_DETAILS = { 'orchrunsteps._log': 0, 'orchrunsteps._resulttext': 0 } as const;

/** Reads of runs. */
const createRunReads = (runs: Model<Run>): Pick<RunStore, 'find' | 'findFollowed' | 'findSummary' | 'list'> => ({
  find: keyLoader(runs, '_id'),
  findFollowed: async (id) => (await runs.findById(id, WITHOUT_PARAMETERS).lean()) ?? undefined,
  findSummary: async (id) => (await runs.findById(id, SUMMARY).lean<RunSummary>()) ?? undefined,
  list: (scope, filter, paging) =>
    listPage(
      runs,
      { $and: [scopeFilter(scope, ['_orchid']), matching(filter)] },
      { paging, sort: { _createdat: -1, _id: -1 }, projection: WITHOUT_DETAILS },
    ),
});

const matching = ({ _status, _orchid, startDate = 0, endDate = Infinity }: RunFilter): Filter => ({
  ...(_status && { _status: oneOf(_status) }),
  ...(_orchid !== undefined && { _orchid }),
  _createdat: trusted({ $gte: timestampText(startDate), $lte: timestampText(endDate) }),
});

const ENDED: RunStatus[] = ['COMPLETED', 'ERROR', 'CANCELLED'];
const BATCH = 500;

/** Removes runs that ended before a time, as the text of a timestamp, in batches. @returns how many */
async function removeEnded(runs: Model<Run>, time: string, signal: AbortSignal): Promise<number> {
  const old = { _status: oneOf(ENDED), _updatedat: before(time) };
  let count = 0;
  while (!signal.aborted) {
    const found = await runs.find(old, { _id: 1 }).limit(BATCH).lean<{ _id: string }[]>();
    if (found.length === 0) break;
    // One may have been retried in between.
    const these = { ...old, _id: oneOf(found.map(({ _id }) => _id)) };
    count += (await runs.deleteMany(these)).deletedCount;
  }
  return count;
}
