import { commonErrors } from '@dtplatform/errors';
import { createLeases, keepLease } from '@dtplatform/lease';
import { oneOf, revisionIn } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { MessageType, Outbox } from '@dtplatform/queue';
import type { RunStore } from '../../domain/orchrun/ports.js';
import type { Run, RunStatus } from '../../domain/orchrun/run.js';
import { createClaims } from './claim-runs.js';
import { createEnqueue } from './enqueue-runs.js';
import type { Alongside } from './enqueue-runs.js';
import { removeEnded } from './remove-ended.js';
import { createRetries } from './retries.js';
import { runModel } from './run.model.js';
import { createRunReads } from './run-reads.js';
import { createRunWrites } from './run-writes.js';
import { timestampText } from './timestamp-text.js';

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
