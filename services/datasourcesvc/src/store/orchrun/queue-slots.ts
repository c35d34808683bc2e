import type { ClientSession, Collection } from 'mongodb';
import type { Run } from '../../domain/orchrun/run.js';
import { errors } from '../../errors.js';

/** How many runs may be queued in a namespace; one more is a 429. */
const MAX_QUEUED = 20;

const slotsOf = (namespace: string) => Array.from({ length: MAX_QUEUED }, (_, n) => `${namespace}/${n}`);

/**
 * Picks a free slot for a queued run in each of its namespaces. A unique index covers slots, so concurrent callers cannot both
 * take the last one. Each picks at random, so that they rarely conflict.
 * @throws 429 when a namespace has no free slot
 */
export async function freeSlots(
  runs: Collection<Run>,
  namespaces: readonly string[],
  session: ClientSession,
): Promise<string[]> {
  const wanted = namespaces.map(slotsOf);
  const queued = await runs
    .find({ '_work.slots': { $in: wanted.flat() } }, { session, projection: { _id: 0, '_work.slots': 1 } })
    .toArray();
  const taken = new Set(queued.flatMap(({ _work }) => _work.slots ?? []));
  return wanted.map((slots) => {
    const free = slots.filter((slot) => !taken.has(slot));
    if (free.length === 0) throw errors.tooManyQueued({ headers: { 'retry-after': '1' } });
    return free[Math.floor(Math.random() * free.length)]!;
  });
}
