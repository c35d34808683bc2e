import { setTimeout as delay } from 'node:timers/promises';

/** Whoever waited this long tries at once: the database decides then. */
const MAX_WAIT_MS = 5_000;

/**
 * Runs work on the same key one by one. Transactions that write the same document would conflict and begin again, the more
 * often the more there are; within one process they wait instead. Correctness does not depend on it.
 */
export function createKeyedMutex(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key);
    const mine = (async () => {
      if (before) await Promise.race([before, delay(MAX_WAIT_MS, undefined, { ref: false })]);
      return work();
    })();
    const ended = mine.catch(() => undefined);
    last.set(key, ended);
    try {
      return await mine;
    } finally {
      if (last.get(key) === ended) last.delete(key);
    }
  };
}
