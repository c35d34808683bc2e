import pTimeout from 'p-timeout';
import type { Logger } from '@dtplatform/logging';

/** Each check resolves when its backend answers and rejects when it does not. */
export type ReadinessChecks = Record<string, () => Promise<unknown>>;

type States = Record<string, 'ok' | 'failing'>;

const CHECK_TIMEOUT_MS = 1500;

/** A function that runs all checks in parallel. It logs only when the result of a check changes, with the reason. */
export function createReadiness(checks: ReadinessChecks, log: Logger): () => Promise<States> {
  const failing = new Set<string>();

  async function stateOf(name: string, check: () => Promise<unknown>): Promise<'ok' | 'failing'> {
    try {
      await pTimeout(Promise.resolve().then(check), { milliseconds: CHECK_TIMEOUT_MS });
      if (failing.delete(name)) log.info({ check: name }, 'readiness check recovered');
      return 'ok';
    } catch (error) {
      if (!failing.has(name)) log.warn({ err: error, check: name }, 'readiness check failed');
      failing.add(name);
      return 'failing';
    }
  }
  return async () => {
    const states = Object.entries(checks).map(async ([name, check]) => [name, await stateOf(name, check)] as const);
    return Object.fromEntries(await Promise.all(states));
  };
}
