import { setTimeout as sleep } from 'node:timers/promises';
import { callDuring, createActions, createLedger, createLoadUser } from '@dtplatform/bench/callers';
import type { TestRun } from '../test-run.js';

/** How long the load runs before and after the work. */
const AROUND_MS = 5_000;
const SHOWN_FAILURES = 10;

/** Failed requests without a response or with a 503; and runs beyond the queue limit after an outage. */
export const UNANSWERED =
  / answered 50[234], | startRun: .* answered 429, |fetch failed|terminated|aborted due to timeout/;

/**
 * Runs work while callers use all services from outside the cluster. Rejects if a request failed (unless `mayFail`; an
 * expression permits matching failures) or an acknowledged write is lost.
 */
export async function underLoad(
  { dev, signal, report }: TestRun,
  { what, mayFail }: { what: string; mayFail: boolean | RegExp },
  work: () => Promise<void>,
): Promise<void> {
  const user = await createLoadUser(dev, signal);
  const ledger = createLedger(user);
  const actions = createActions(dev, user, ledger);
  for (const [, use] of actions) await use(); // Fails early if an action does not work at all.
  const { requests, failures } = await callDuring(actions, signal, async () => {
    await sleep(AROUND_MS);
    await work();
    await sleep(AROUND_MS);
  });
  signal.throwIfAborted();
  report.ready(what, `${requests} requests, ${failures.length} failed`);
  for (const failure of failures.slice(0, SHOWN_FAILURES)) report.warn(what, failure);
  report.ready(what, `${await ledger.verify()} acknowledged writes are all present`);
  const wrong = typeof mayFail === 'boolean' ? [] : failures.filter((failure) => !mayFail.test(failure));
  if (wrong.length > 0) throw new Error(`${wrong.length} requests failed in another way:\n${wrong[0]}`);
  if (failures.length > 0 && mayFail === false) throw new Error(`${failures.length} of ${requests} requests failed`);
}
