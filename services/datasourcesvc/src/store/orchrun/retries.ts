import { commonErrors } from '@dtplatform/errors';
import { oneOf, revisionIn } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { currentTrace } from '@dtplatform/queue';
import type { Retrier, RunStore } from '../../domain/orchrun/ports.js';
import { isRetryable, RETRYABLE } from '../../domain/orchrun/run.js';
import type { Run } from '../../domain/orchrun/run.js';
import { NOT_STARTED } from '../../domain/orchrun/run-step.js';
import { errors } from '../../errors.js';
import { queueInSlots } from './queue-slots.js';
import { runModel } from './run.model.js';
import { stepUpdates } from './run-writes.js';

interface Deps {
  mongo: Mongo;
  /** The end of a lease that begins now. */
  until: () => Date;
  /** Tells workers that runs are queued. */
  announce: (session: ClientSession) => Promise<void>;
}

/** Starts ended runs again, in MongoDB. */
export function createRetries({ mongo, until, announce }: Deps): RunStore['retry'] {
  const runs = mongo.model(runModel);

  return async (run, retrier, precondition) => {
    const { _id, _work } = run;
    // It must still be the same attempt that ended.
    const same = { _id, '_work.retries': _work.retries ?? null };
    const isSame = { ...same, _status: oneOf(RETRYABLE), ...revisionIn(precondition) };

    // A refusal is thrown in the transaction: what that returns may be committed as the reply to the caller's key.
    const write = async (session: ClientSession | undefined, slots?: string[]): Promise<Run> => {
      const update = retryOf(run, retrier, { slots, until: _work.instant ? until() : undefined });
      const options = { session, returnDocument: 'after', lean: true } as const;
      const again = (await runs.findOneAndUpdate(isSame, update, options)) as Run | null;
      if (again) return again;
      const found = await runs.findById(_id, { _status: 1 }, { session }).lean();
      throw precondition && found && isRetryable(found) ? commonErrors.preconditionFailed() : errors.runNotFailed();
    };
    if (_work.instant) return mongo.create((session) => write(session), { early: (claimed) => claimed });
    return queueInSlots(mongo, [run], async ([slots], session) => {
      const again = await write(session, slots);
      await announce(session);
      return again;
    });
  };
}

/** Whoever held the run before has a lower fence and cannot write any more. A run of class INSTANT is claimed at once. */
function retryOf(run: Run, { id, type }: Retrier, { slots, until }: { slots?: string[]; until?: Date }) {
  const { done, retries = 0, instant, lease } = run._work;
  const fence = lease.fence + 1;
  const trace = currentTrace();
  const { $unset } = stepUpdates({ [done]: NOT_STARTED });
  return {
    $set: {
      _status: instant ? 'RUNNING' : 'QUEUED',
      _retriedby: id,
      _updatedat: String(Date.now()),
      '_work.retries': retries + 1,
      '_work.retrierType': type,
      '_work.lease': { fence, ...(until && { until }) },
      '_work.fenceAtRetry': fence,
      ...(slots && { '_work.slots': slots }),
      ...(trace && { '_work.trace': trace }),
      ...(instant && { '_work.startedAt': Date.now() }),
    },
    $unset: {
      ...$unset,
      _statusmsg: 1,
      _result: 1,
      '_work.mustNotRepeat': 1,
      '_work.postponed': 1,
      ...(!instant && { '_work.startedAt': 1 }),
    },
  } as const;
}
