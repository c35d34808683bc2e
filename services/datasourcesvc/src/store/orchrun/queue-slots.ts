import { isDuplicateKey, oneOf } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { Run } from '../../domain/orchrun/run.js';
import { errors } from '../../errors.js';
import { runModel } from './run.model.js';

/** How many runs may be queued in a namespace; one more is a 429. */
const MAX_QUEUED = 20;
/** Enough even when concurrent callers contend for every slot. */
const MAX_ATTEMPTS = 20;

const slotsOf = (namespace: string) => Array.from({ length: MAX_QUEUED }, (_, n) => `${namespace}/${n}`);

/**
 * Queues runs, in a transaction, each with a free slot in each of its namespaces. A unique index covers slots, so
 * concurrent callers cannot both take the last one. Each picks at random, so that they rarely conflict.
 * @param queue gets the slots of each run
 * @throws 429 when a namespace has no free slot
 */
export async function queueInSlots<T>(
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
