import { setTimeout as sleep } from 'node:timers/promises';
import type { Surroundings } from '../surroundings.js';
import { createActs } from './acts.js';
import { createLedger } from './ledger.js';
import { meet } from './visitor.js';

const CALLERS = 4;
/** Between two acts of a caller: the cluster is to be busy, not worn out. */
const PAUSE_MS = 25;
const BEFORE_MS = 5_000;
const SHOWN_FAILURES = 10;

export interface Load {
  goOn(forMs: number): Promise<void>;
  /** Ends it, counts failed requests and looks for everything that was acknowledged. Throws when something is wrong. */
  finish(what: string, rule: { mayFail: boolean }): Promise<void>;
}

/** Callers who use all services without a pause, from outside the cluster. */
export async function startLoad({ dev, signal, report }: Surroundings): Promise<Load> {
  const visitor = await meet(dev, signal);
  const ledger = createLedger(visitor);
  const acts = createActs(dev, visitor, ledger);
  const failures: string[] = [];
  let requests = 0;
  let ended = false;

  const act = async (index: number) => {
    const [name, work] = acts[index % acts.length]!;
    requests += 1;
    await work().catch((error: unknown) =>
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
  await sleep(BEFORE_MS);

  return {
    goOn: (forMs) => sleep(forMs),
    async finish(what, { mayFail }) {
      await sleep(BEFORE_MS);
      ended = true;
      await Promise.all(callers);
      signal.throwIfAborted();
      report.ready(what, `${requests} requests, ${failures.length} failed`);
      for (const failure of failures.slice(0, SHOWN_FAILURES)) report.warn(what, failure);
      report.ready(what, `${await ledger.verify()} acknowledged writes are all there`);
      if (failures.length > 0 && !mayFail) throw new Error(`${failures.length} of ${requests} requests failed`);
    },
  };
}
