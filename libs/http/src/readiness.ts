import type { Logger } from '@dtplatform/logging';

/** Checks that a backend answers; rejects when it does not. */
export type ReadinessChecks = Record<string, () => Promise<unknown>>;

type States = Record<string, 'ok' | 'failing'>;

const CHECK_TIMEOUT_MS = 1500;

/** A function that does all checks at once. What changes from one time to the next is in the log, with the reason. */
export function createReadiness(checks: ReadinessChecks, log: Logger): () => Promise<States> {
  const failing = new Set<string>();

  async function stateOf(name: string, check: () => Promise<unknown>): Promise<'ok' | 'failing'> {
    try {
      await within(CHECK_TIMEOUT_MS, Promise.resolve().then(check));
      if (failing.delete(name)) log.info({ check: name }, 'a readiness check is well again');
      return 'ok';
    } catch (error) {
      if (!failing.has(name)) log.warn({ err: error, check: name }, 'a readiness check fails');
      failing.add(name);
      return 'failing';
    }
  }
  return async () => {
    const states = Object.entries(checks).map(async ([name, check]) => [name, await stateOf(name, check)] as const);
    return Object.fromEntries(await Promise.all(states));
  };
}

async function within(timeoutMs: number, answer: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs).unref();
  });
  await Promise.race([answer, tooLate]).finally(() => clearTimeout(timer));
}
