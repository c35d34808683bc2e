import { setTimeout as sleep } from 'node:timers/promises';
import type { DevJson } from '@dtplatform/stack';
import { createLedger, createLoadUser, createOrchestrator, type LoadUser, startRun } from '@dtplatform/bench/callers';

/** The maximum number of queued runs in a namespace. */
const QUEUED_PER_NAMESPACE = 20;
/** Duration of a run; shorter than a stopping worker waits for its runs. */
const STEP_MS = 5_000;

/** Starts runs of five seconds in several workspaces. */
export interface ManyRuns {
  /** Fills the queue of each workspace. Resolves with the number of runs. */
  fill(): Promise<number>;
  /** Starts runs one by one while some work is done. Resolves with the number of runs. */
  trickle(everyMs: number, work: () => Promise<unknown>): Promise<number>;
  /** Waits until all runs have ended. Resolves with their ids; rejects if one is not completed. */
  verify(): Promise<string[]>;
}

export async function createManyRuns(dev: DevJson, signal: AbortSignal, workspaces: number): Promise<ManyRuns> {
  const places = await Promise.all(
    Array.from({ length: workspaces }, async () => createPlace(await createLoadUser(dev, signal))),
  );
  const started: string[] = [];
  const start = async (n: number) => void started.push(await places[n % places.length]!.start());

  return {
    async fill() {
      const count = places.length * QUEUED_PER_NAMESPACE;
      for (let n = 0; n < count; n += 1) await start(n);
      return count;
    },
    async trickle(everyMs, work) {
      const end = new AbortController();
      const working = work().finally(() => end.abort());
      // It may fail during a pause, when nobody awaits it.
      working.catch(() => undefined);
      let count = 0;
      try {
        for (; !end.signal.aborted; count += 1) {
          await start(count);
          await sleep(everyMs);
        }
      } finally {
        await working;
      }
      return count;
    },
    async verify() {
      for (const { ledger } of places) await ledger.verify();
      return started;
    },
  };
}

/** An orchestrator in a user's workspace. */
async function createPlace(user: LoadUser) {
  const ledger = createLedger(user);
  const { id } = await createOrchestrator(user, STEP_MS);
  return {
    ledger,
    async start(): Promise<string> {
      const run = await startRun(user, id);
      ledger.run(run);
      return run;
    },
  };
}
