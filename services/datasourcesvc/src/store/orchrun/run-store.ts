import { commonErrors } from '@dtplatform/errors';
import { createLeases, keepLease } from '@dtplatform/lease';
import { revisionIn, trusted } from '@dtplatform/mongo';
import type { ClientSession, Filter, Mongo } from '@dtplatform/mongo';
import type { MessageType, Outbox } from '@dtplatform/queue';
import type { RunStore } from '../../domain/orchrun/ports.js';
import { INTERRUPTED } from '../../domain/orchrun/run.js';
import type { Run, RunStatus } from '../../domain/orchrun/run.js';
import { leaseRuns } from './lease-runs.js';
import { createEnqueue } from './enqueue-runs.js';
import type { Alongside } from './enqueue-runs.js';
import { removeEnded } from './remove-ended.js';
import { createRetries, ofAttempt } from './retries.js';
import { runModel } from './run.model.js';
import { createRunReads } from './run-reads.js';
import { createRunWrites } from './run-writes.js';
import { timestampText } from './timestamp-text.js';

const HEARTBEAT_MS = 5_000;
/** A run without a heartbeat for this long counts as lost. */
const LEASE_MS = 60_000;

const UNENDED = { _status: trusted({ $in: ['QUEUED', 'RUNNING'] satisfies RunStatus[] }) };
/** Fields that only an un-ended run has. The last two are of the previous version. */
const OF_UNENDED = ['_work.lease.until', '_work.mustNotRepeat', '_work.slots', '_work.claim', '_work.checkAt'];
const MAX_LOST = 1000;
const PROCESS_ENDED = 'The process that worked on the run ended.';
/** Fields of the previous version. */
const NO_FORMER_CLAIM = { '_work.claim': '$$REMOVE', '_work.checkAt': '$$REMOVE' };
const RAISED = { _revision: { $add: [{ $ifNull: ['$_revision', 0] }, 1] } };

interface Deps {
  mongo: Mongo;
  outbox: Outbox;
  /** The message that starts a run, or continues it. */
  process: MessageType<{ runId: string; retries?: number }>;
}

/** Runs in MongoDB. */
export function createRunStore(deps: Deps): RunStore & { enqueue(run: Run, alongside?: Alongside): Promise<void> } {
  const { mongo, outbox, process } = deps;
  const runs = mongo.model(runModel);
  const leases = createLeases(runs, { path: '_work.lease', ttlMs: LEASE_MS });

  /** By the clock of this process: if it is slow, the run is queued twice, which has no effect. */
  const until = () => new Date(Date.now() + LEASE_MS);
  const now = () => String(Date.now());

  const queue = (session: ClientSession, queued: readonly Lost[]) =>
    outbox.putMany(
      session,
      process,
      queued.map((run) => {
        const { retries = 0 } = run._work;
        return { payload: { runId: run._id, retries }, id: messageId(run) };
      }),
    );

  /** An update that ends runs, whichever process holds them. */
  const ending = (end: Pick<Run, '_status' | '_statusmsg'>) => [
    { $set: { ...end, _updatedat: now() } },
    { $unset: OF_UNENDED },
  ];
  const endAll = async (filter: Filter, end: Pick<Run, '_status' | '_statusmsg'>): Promise<void> =>
    void (await runs.updateMany({ ...filter, ...UNENDED }, ending(end), { updatePipeline: true }));

  return {
    enqueue: createEnqueue({ mongo, until, queue }),
    async insertClaimed(run) {
      const _work = { ...run._work, startedAt: Date.now(), lease: { fence: 1, until: until() } };
      const claimed: Run = { ...run, _status: 'RUNNING', _work };
      await mongo.create((session) => runs.insertMany([claimed], { session }), { early: () => claimed });
      return claimed;
    },
    async claim(_id, retries) {
      const set = {
        ...RAISED,
        ...NO_FORMER_CLAIM,
        _status: 'RUNNING',
        _updatedat: now(),
        // The time limit covers all processes that work on the run.
        '_work.startedAt': { $ifNull: ['$_work.startedAt', Date.now()] },
        '_work.slots': '$$REMOVE',
      };
      const wanted = { _id, ...UNENDED, ...(retries !== undefined && ofAttempt(retries)) };
      const mayRepeat = { ...wanted, '_work.mustNotRepeat': { $ne: true } };
      const claimed = (await leases.claim(mayRepeat, { takeOver: true, set })) ?? (await leases.claim(wanted, { set }));
      return claimed ?? ((await runs.exists(wanted)) ? 'held' : undefined);
    },
    keep: (run, signal) => keepLease(leases, run, { signal, heartbeatMs: HEARTBEAT_MS }),
    ...createRunWrites(leases),
    retry: createRetries({ mongo, until, queue }),
    async cancel(_id, precondition) {
      const filter = { _id, ...UNENDED, ...revisionIn(precondition) };
      const options = { updatePipeline: true, projection: { '_work.retries': 1 }, lean: true } as const;
      const cancelled = (await runs.findOneAndUpdate(filter, ending({ _status: 'CANCELLED' }), options)) as Run | null;
      if (cancelled) return { runId: _id, retries: cancelled._work.retries ?? 0 };
      if (await runs.exists({ _id, ...UNENDED })) throw commonErrors.preconditionFailed();
      return undefined;
    },
    ...createRunReads(runs),
    async requeueLost() {
      await leaseRuns(mongo.db);
      const lost = await leases.findLost(UNENDED, MAX_LOST, ['_work']);
      if (lost.length === 0) return 0;
      const { instant, cut, queued } = sorted(lost);
      await endAll(leases.free(idsOf(instant)), { _status: 'ERROR', _statusmsg: PROCESS_ENDED });
      await endAll(leases.free({ ...idsOf(cut), '_work.mustNotRepeat': true }), {
        _status: 'ERROR',
        _statusmsg: INTERRUPTED,
      });
      await mongo.transaction((session) => queue(session, queued));
      await leases.extendLost({ _id: { $in: queued.map(({ _id }) => _id) } });
      return lost.length;
    },
    removeEndedBefore: (time, signal) => removeEnded(runs, timestampText(time), signal),
  };
}

/** A retry has a message of its own: the queue may still have the job of the attempt before, which ignores it. */
const messageId = ({ _id, _work: { retries = 0 } }: Lost) => (retries === 0 ? _id : `${_id}-${retries}`);

type Lost = Pick<Run, '_id' | '_work'>;
const idsOf = (lost: readonly Lost[]) => ({ _id: trusted({ $in: lost.map(({ _id }) => _id) }) });

/** Lost runs by what becomes of them: those that end, and those that continue. */
function sorted(lost: readonly Lost[]) {
  const instant = lost.filter(({ _work }) => _work.instant);
  const cut = lost.filter(({ _work }) => !_work.instant && _work.mustNotRepeat);
  return { instant, cut, queued: lost.filter((run) => !instant.includes(run) && !cut.includes(run)) };
}
