import { setTimeout as sleep } from 'node:timers/promises';
import type { Surroundings } from '../surroundings.js';
import { createActs, type Act } from './acts.js';
import { createLedger } from './ledger.js';
import { meet } from './visitor.js';

const CALLERS = 4;
/** Between two acts of a caller: the cluster is to be busy, not worn out. */
const PAUSE_MS = 25;
/** How long the load goes on before and after the work. */
const AROUND_MS = 5_000;
const SHOWN_FAILURES = 10;

/**
 * Does some work while callers use all services without a pause, from outside the cluster. Counts failed requests and looks
 * for everything that was acknowledged. Throws when something is wrong.
 */
export async function underLoad(
  { dev, signal, report }: Surroundings,
  { what, mayFail }: { what: string; mayFail: boolean },
  work: () => Promise<void>,
): Promise<void> {
  const visitor = await meet(dev, signal);
  const ledger = createLedger(visitor);
  const acts = createActs(dev, visitor, ledger);
  for (const [, use] of acts) await use(); // what never works says nothing about the work
  const { requests, failures } = await callDuring(acts, signal, async () => {
    await sleep(AROUND_MS);
    await work();
    await sleep(AROUND_MS);
  });
  signal.throwIfAborted();
  report.ready(what, `${requests} requests, ${failures.length} failed`);
  for (const failure of failures.slice(0, SHOWN_FAILURES)) report.warn(what, failure);
  report.ready(what, `${await ledger.verify()} acknowledged writes are all there`);
  if (failures.length > 0 && !mayFail) throw new Error(`${failures.length} of ${requests} requests failed`);
}

/** Lets callers act until some work has ended, well or not: what nobody ends would keep the process. */
export async function callDuring(acts: Act[], signal: AbortSignal, work: () => Promise<void>) {
  const failures: string[] = [];
  let requests = 0;
  let ended = false;

  const act = async (index: number) => {
    const [name, use] = acts[index % acts.length]!;
    requests += 1;
    await use().catch((error: unknown) =>
      failures.push(`${new Date().toISOString()} ${name}: ${(error as Error).message}`),
    );
  };
  const caller = async (first: number) => {
    for (let index = first; !ended && !signal.aborted; index += 1) {
      await act(index);
      await sleep(PAUSE_MS);
    }
  };
  const callers = Array.from({ length: CALLERS }, (_, index) => caller(index * 2));
  await work().finally(() => {
    ended = true;
    return Promise.all(callers);
  });
  return { requests, failures };
}
