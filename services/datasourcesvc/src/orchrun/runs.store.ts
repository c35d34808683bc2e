import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { createLeases } from '@dtplatform/lease';
import { before, keyLoader, listPage, oneOf, revisionIn, scopeFilter, trusted } from '@dtplatform/mongo';
import type { ClientSession, Filter, Mongo } from '@dtplatform/mongo';
import type { Scope } from '@dtplatform/permissions';
import type { MessageType, Outbox } from '@dtplatform/queue';
import type { Attempt } from './cancellations.client.js';
import { createHeldRuns, LEASE_MS } from './held-runs.store.js';
import { createEnqueue, createRetries } from './queued-runs.store.js';
import type { FollowedRun, Run, RunStatus } from './run.js';
import { runModel } from './run.model.js';

const MAX_TIMESTAMP = 9_999_999_999_999;

/** Timestamps of 13 digits sort correctly as text. */
const timestampText = (ms: number): string => String(Math.min(Math.max(0, ms), MAX_TIMESTAMP)).padStart(13, '0');

const UNENDED = { _status: oneOf<RunStatus>(['QUEUED', 'RUNNING']) };
/** Fields of runs that have not ended. */
const OF_UNENDED = ['_work.lease.until', '_work.mustNotRepeat', '_work.slots'];

const ENDED: RunStatus[] = ['COMPLETED', 'ERROR', 'CANCELLED'];
/** Runs removed per batch. */
const BATCH = 500;

const WITHOUT_PARAMETERS = { 'orchrunsteps._actualparams': 0 } as const;
const FOLLOWED_STEP = { $unsetField: { field: '_actualparams', input: '$$this' } };
const FOLLOWED = {
  $mergeObjects: ['$$ROOT', { orchrunsteps: { $map: { input: '$orchrunsteps', in: FOLLOWED_STEP } } }],
};
const SUMMARY = { _orchid: 1, _namespaces: 1, _status: 1, _revision: 1, bytes: { $bsonSize: FOLLOWED } };
/** Fields that lists omit. */
const WITHOUT_DETAILS = { 'orchrunsteps._log': 0, 'orchrunsteps._resulttext': 0 } as const;

/** Filter of a list of runs. */
export interface RunFilter {
  _status?: RunStatus[];
  _orchid?: string;
  /** When the run was created, in milliseconds since 1970, inclusive. */
  startDate?: number;
  endDate?: number;
}

/** Enough to notice a change of a run without reading all of it. */
export interface RunSummary extends Pick<Run, '_id' | '_orchid' | '_namespaces' | '_status' | '_revision'> {
  /** Stored size of the followed run. */
  bytes: number;
}

interface Deps {
  mongo: Mongo;
  outbox: Outbox;
  /** The message that runs are queued. */
  queued: MessageType<object>;
}

/**
 * Runs in MongoDB. One process at a time holds a run's lease and works on it. A write returns false if the process no
 * longer holds the lease: another process has taken the run over, or it has ended.
 */
export function createRunStore({ mongo, outbox, queued }: Deps) {
  const runs = mongo.model(runModel);
  const leases = createLeases(runs, { path: '_work.lease', ttlMs: LEASE_MS });
  /** When a lease ends, by this process's clock. */
  const until = () => new Date(Date.now() + LEASE_MS);
  const announce = (session: ClientSession) => outbox.put(session, queued, {});

  return {
    ...createHeldRuns(leases),
    /** Stores a run and queues it, in one transaction. @throws 429 when too many are queued in a namespace */
    enqueue: createEnqueue({ mongo, announce }),
    /**
     * Restarts an ended run at the step that is not completed: queues it or, if it is of class INSTANT, claims it.
     * @param run as it was found
     * @throws 409 when it can no longer be retried, 412 when it has another revision, 429 when too many are queued in a
     * namespace
     */
    retry: createRetries({ mongo, until, announce }),
    /** Stores a run that this process has claimed. */
    async insertClaimed(run: Run): Promise<Run> {
      const _work = { ...run._work, startedAt: Date.now(), lease: { fence: 1, until: until() } };
      const claimed: Run = { ...run, _status: 'RUNNING', _work };
      await mongo.create((session) => runs.insertMany([claimed], { session }), { early: () => claimed });
      return claimed;
    },
    /**
     * @returns the cancelled attempt; undefined when the run has already ended
     * @throws 412 when it has another revision
     */
    async cancel(_id: string, precondition: Precondition): Promise<Attempt | undefined> {
      const ending = [{ $set: { _status: 'CANCELLED', _updatedat: String(Date.now()) } }, { $unset: OF_UNENDED }];
      const filter = { _id, ...UNENDED, ...revisionIn(precondition) };
      const options = { updatePipeline: true, projection: { '_work.retries': 1 }, lean: true } as const;
      const cancelled = (await runs.findOneAndUpdate(filter, ending, options)) as Run | null;
      if (cancelled) return { runId: _id, retries: cancelled._work.retries ?? 0 };
      if (await runs.exists({ _id, ...UNENDED })) throw commonErrors.preconditionFailed();
      return undefined;
    },
    find: keyLoader(runs, '_id'),
    findFollowed: async (id: string): Promise<FollowedRun | undefined> =>
      (await runs.findById(id, WITHOUT_PARAMETERS).lean()) ?? undefined,
    findSummary: async (id: string): Promise<RunSummary | undefined> =>
      (await runs.findById(id, SUMMARY).lean<RunSummary>()) ?? undefined,
    /** Newest first. The scope refers to orchestrators. */
    list: (scope: Scope, filter: RunFilter, paging: Paging): Promise<Listing<Run>> =>
      listPage(
        runs,
        { $and: [scopeFilter(scope, ['_orchid']), matching(filter)] },
        { paging, sort: { _createdat: -1, _id: -1 }, projection: WITHOUT_DETAILS },
      ),
    /** Removes runs that ended before a time, in milliseconds since 1970, in batches. @returns their number */
    async removeEndedBefore(time: number, signal: AbortSignal): Promise<number> {
      const old = { _status: oneOf(ENDED), _updatedat: before(timestampText(time)) };
      let count = 0;
      while (!signal.aborted) {
        const found = await runs.find(old, { _id: 1 }).limit(BATCH).lean<{ _id: string }[]>();
        if (found.length === 0) break;
        // One may have been retried in between.
        const these = { ...old, _id: oneOf(found.map(({ _id }) => _id)) };
        count += (await runs.deleteMany(these)).deletedCount;
      }
      return count;
    },
  };
}

export type RunStore = ReturnType<typeof createRunStore>;

const matching = ({ _status, _orchid, startDate = 0, endDate = Infinity }: RunFilter): Filter => ({
  ...(_status && { _status: oneOf(_status) }),
  ...(_orchid !== undefined && { _orchid }),
  _createdat: trusted({ $gte: timestampText(startDate), $lte: timestampText(endDate) }),
});
