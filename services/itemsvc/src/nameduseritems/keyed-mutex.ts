import { setTimeout as delay } from 'node:timers/promises';

/** After this wait, the caller proceeds; MongoDB then resolves the conflict. */
const MAX_WAIT_MS = 5_000;

/**
 * Serializes work on the same key within a process. Transactions that write the same document would otherwise conflict
 * and retry. An optimization only; correctness does not depend on it.
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
