import { BSON, shareCommits } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { currentTrace } from '@dtplatform/queue';
import type { Run } from '../../domain/orchrun/run.js';
import { queueInSlots } from './queue-slots.js';
import { runModel } from './run.model.js';

/** Bytes of runs in a transaction that several requests share; a larger one has its own. */
const MAX_SHARED_BYTES = 256 * 1024;
/** Of a run in what it causes besides. */
const BASE_BYTES = 8 * 1024;

/** What else is stored together with a queued run. */
export type Alongside = (session: ClientSession) => Promise<void>;

interface Deps {
  mongo: Mongo;
  /** Tells workers that runs are queued. */
  announce: (session: ClientSession) => Promise<void>;
}

/** Stores new runs and queues them. Requests at the same time share a transaction. */
export function createEnqueue({ mongo, announce }: Deps): (run: Run, alongside?: Alongside) => Promise<void> {
  // The driver's collection: this service has made these documents, and Mongoose's casts would only cost time.
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

  return async (newRun, alongside) => {
    const trace = currentTrace();
    const run = trace ? { ...newRun, _work: { ...newRun._work, trace } } : newRun;
    if (alongside) await enqueueAll([run], alongside);
    else await enqueueShared(run);
  };
}
