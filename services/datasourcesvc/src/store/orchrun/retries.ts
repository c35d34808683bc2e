import { commonErrors } from '@dtplatform/errors';
import { revisionIn, trusted } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
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
  queue: (session: ClientSession, runs: Run[]) => Promise<void>;
}

/** A filter of runs that were retried so often. Those that never were have no number. */
export const ofAttempt = (retries = 0) => ({ '_work.retries': retries === 0 ? null : retries });

/** Starts ended runs again, in MongoDB. */
export function createRetries({ mongo, until, queue }: Deps): RunStore['retry'] {
  const runs = mongo.model(runModel);

  return async (run, retrier, precondition) => {
    const { _id, _work } = run;
    // It must still be the same attempt that ended.
    const same = { _id, ...ofAttempt(_work.retries) };
    const isSame = { ...same, _status: trusted({ $in: RETRYABLE }), ...revisionIn(precondition) };

    // A refusal is thrown in the transaction: what that returns may be committed as the reply to the caller's key.
    const write = async (session: ClientSession | undefined, slots?: string[]): Promise<Run> => {
      const update = retryOf(run, retrier, { slots, until: until() });
      const options = { session, returnDocument: 'after', lean: true } as const;
      const again = (await runs.findOneAndUpdate(isSame, update, options)) as Run | null;
      if (again) return again;
      const found = await runs.findById(_id, { _status: 1 }, { session }).lean();
      throw precondition && found && isRetryable(found) ? commonErrors.preconditionFailed() : errors.runNotFailed();
    };
    if (_work.instant) return mongo.create((session) => write(session), { early: (claimed) => claimed });
    return queueInSlots(mongo, [run], async ([slots], session) => {
      const again = await write(session, slots);
      await queue(session, [again]);
      return again;
    });
  };
}

/** Whoever held the run before has a lower fence and cannot write any more. A run of class INSTANT is claimed at once. */
function retryOf(run: Run, { id, type }: Retrier, { slots, until }: { slots?: string[]; until: Date }) {
  const { done, retries = 0, instant } = run._work;
  const fence = fenceOf(run._work) + 1;
  const { $unset } = stepUpdates({ [done]: NOT_STARTED });
  return {
    $set: {
      _status: instant ? 'RUNNING' : 'QUEUED',
      _retriedby: id,
      _updatedat: String(Date.now()),
      '_work.retries': retries + 1,
      '_work.retrierType': type,
      '_work.lease': { fence, until },
      '_work.fenceAtRetry': fence,
      ...(slots && { '_work.slots': slots }),
      ...(instant && { '_work.startedAt': Date.now() }),
    },
    $unset: {
      ...$unset,
      _statusmsg: 1,
      _result: 1,
      '_work.mustNotRepeat': 1,
      ...(!instant && { '_work.startedAt': 1 }),
    },
  } as const;
}

/** Runs that ended before leases were introduced have none. */
const fenceOf = ({ lease }: { lease?: { fence: number } }) => lease?.fence ?? 0;
