import type { Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { BSON, isDuplicateKey, oneOf, revisionIn, shareCommits } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { currentTrace } from '@dtplatform/queue';
import { errors } from '../errors.js';
import { stepUpdates } from './held-runs.store.js';
import { isRetryable, NOT_STARTED, RETRYABLE } from './run.js';
import type { Run } from './run.js';
import { runModel } from './run.model.js';

/** Maximum number of queued runs in a namespace; one more is a 429. */
const MAX_QUEUED = 20;
/** Enough even when concurrent callers contend for every slot. */
const MAX_ATTEMPTS = 20;

const slotsOf = (namespace: string) => Array.from({ length: MAX_QUEUED }, (_, n) => `${namespace}/${n}`);

/**
 * Queues runs in a transaction, each with a free slot in each of its namespaces. A unique index covers slots, so
 * concurrent callers cannot both take the last one. Slots are picked at random, so that callers rarely conflict.
 * @param queue gets the slots of each run
 * @throws 429 when a namespace has no free slot
 */
async function queueInSlots<T>(
  mongo: Mongo,
  runs: readonly Pick<Run, '_namespaces'>[],
  queue: (slots: string[][], session: ClientSession) => Promise<T>,
): Promise<T> {
  const pickAndQueue = () =>
    mongo.transaction(async (session) => queue(await freeSlots(mongo, runs, session), session));
  for (let attempt = 1; ; attempt++) {
    try {
      return await pickAndQueue();
    } catch (error) {
      if (!isDuplicateKey(error, 'queue_slots') || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function freeSlots(
  mongo: Mongo,
  runs: readonly Pick<Run, '_namespaces'>[],
  session: ClientSession,
): Promise<string[][]> {
  const namespaces = [...new Set(runs.flatMap(({ _namespaces }) => _namespaces))];
  const holdsSlot = { '_work.slots': oneOf(namespaces.flatMap(slotsOf)) };
  const queued = mongo.model(runModel).find(holdsSlot).select<Pick<Run, '_work'>>('_work.slots');
  const taken = new Set((await queued.session(session).lean()).flatMap(({ _work }) => _work.slots ?? []));
  const take = (namespace: string): string => {
    const free = slotsOf(namespace).filter((slot) => !taken.has(slot));
    if (free.length === 0) throw errors.tooManyQueued({ headers: { 'retry-after': '1' } });
    const slot = free[Math.floor(Math.random() * free.length)]!;
    taken.add(slot);
    return slot;
  };
  return runs.map(({ _namespaces }) => _namespaces.map(take));
}

/** Size of runs in a transaction that several requests share; a larger run gets its own. */
const MAX_SHARED_BYTES = 256 * 1024;
/** Size of a run's other writes. */
const BASE_BYTES = 8 * 1024;

/** Further writes in the transaction of a queued run. */
type Alongside = (session: ClientSession) => Promise<void>;

interface EnqueueDeps {
  mongo: Mongo;
  /** Notifies workers of queued runs. */
  announce: (session: ClientSession) => Promise<void>;
}

/** Stores new runs and queues them. Concurrent requests share a transaction. */
export function createEnqueue({ mongo, announce }: EnqueueDeps) {
  // The driver's collection: this service creates the documents, and Mongoose's casts would only cost time.
  const runs = mongo.model(runModel).collection;

  const enqueueAll = (queued: Run[], alongside?: Alongside): Promise<void[]> =>
    queueInSlots(mongo, queued, async (slots, session) => {
      await alongside?.(session);
      const stored = queued.map((run, index) => ({ ...run, _work: { ...run._work, slots: slots[index]! } }));
      await runs.insertMany(stored as never[], { session });
      await announce(session);
      return queued.map(() => undefined);
    });
  const enqueueShared = shareCommits(mongo, (queued: Run[]) => enqueueAll(queued), {
    maxWeight: MAX_SHARED_BYTES,
    weightOf: (run) => BASE_BYTES + BSON.calculateObjectSize(run),
  });

  return async (newRun: Run, alongside?: Alongside): Promise<void> => {
    const trace = currentTrace();
    const run = trace ? { ...newRun, _work: { ...newRun._work, trace } } : newRun;
    if (alongside) await enqueueAll([run], alongside);
    else await enqueueShared(run);
  };
}

interface RetryDeps extends EnqueueDeps {
  /** The end of a lease that starts now. */
  until: () => Date;
}

/** Who retries a run. */
interface Retrier {
  id: string;
  type: NonNullable<Run['_work']['starterType']>;
}

/** Restarts ended runs. */
export function createRetries({ mongo, until, announce }: RetryDeps) {
  const runs = mongo.model(runModel);

  return async (run: Run, retrier: Retrier, precondition: Precondition): Promise<Run> => {
    const { _id, _work } = run;
    // The attempt must be the one that ended.
    const same = { _id, '_work.retries': _work.retries ?? null };
    const isSame = { ...same, _status: oneOf(RETRYABLE), ...revisionIn(precondition) };

    // Thrown inside the transaction: a returned value may be committed as the response to the caller's key.
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

/** A higher fence stops writes of the former holder. A run of class INSTANT is claimed at once. */
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
