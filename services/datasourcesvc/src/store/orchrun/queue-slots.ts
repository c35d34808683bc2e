import { isDuplicateKey, trusted } from '@dtplatform/mongo';
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
 * Queues a run, in a transaction, with a free slot in each of its namespaces. A unique index covers slots, so
 * concurrent callers cannot both take the last one. Each picks at random, so that they rarely conflict.
 * @throws 429 when a namespace has no free slot
 */
export async function queueInSlots<T>(
  mongo: Mongo,
  namespaces: readonly string[],
  queue: (slots: string[], session: ClientSession) => Promise<T>,
): Promise<T> {
  const pickAndQueue = () =>
    mongo.transaction(async (session) => queue(await freeSlots(mongo, namespaces, session), session));
  for (let attempt = 1; ; attempt++) {
    try {
      return await pickAndQueue();
    } catch (error) {
      if (!isDuplicateKey(error, 'queue_slots') || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function freeSlots(mongo: Mongo, namespaces: readonly string[], session: ClientSession): Promise<string[]> {
  const wanted = namespaces.map(slotsOf);
  const holdsSlot = { '_work.slots': trusted({ $in: wanted.flat() }) };
  const runs = mongo.model(runModel).find(holdsSlot).select<Pick<Run, '_work'>>('_work.slots');
  const taken = new Set((await runs.session(session).lean()).flatMap(({ _work }) => _work.slots ?? []));
  return wanted.map((slots) => {
    const free = slots.filter((slot) => !taken.has(slot));
    if (free.length === 0) throw errors.tooManyQueued({ headers: { 'retry-after': '1' } });
    return free[Math.floor(Math.random() * free.length)]!;
  });
}
