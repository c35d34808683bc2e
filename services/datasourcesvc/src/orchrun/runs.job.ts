import { setTimeout as delay } from 'node:timers/promises';
import { startExclusiveSweep, startSweep } from '@dtplatform/lease';
import type { Logger } from '@dtplatform/logging';
import { createLease } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { Postponed } from '@dtplatform/queue';
import type { ProcessContext } from '@dtplatform/runtime';
import { runInCall, withSpan } from '@dtplatform/telemetry';
import type { Config } from '../config.js';
import type { RunExecution } from './run-execution.js';
import type { Run } from './run.js';
import type { RunStore } from './runs.store.js';

/** How long a message waits for a free slot in one process before another process gets it. */
const HOLD_MS = 500;
/** Time before the end of the process to stop runs and store their state. */
const CUT_MS = 5_000;
const LAST_WRITES_MS = 4_000;

interface RunWorkerDeps {
  runStore: Pick<RunStore, 'claimQueued' | 'claimLost'>;
  execution: Pick<RunExecution, 'process'>;
  /** Number of concurrent runs. */
  places: number;
  log: Logger;
}

/**
 * Works on runs. MongoDB has the queued and lost runs; processes with free slots claim as many at once. A process
 * without a free slot claims again when one becomes free.
 */
export function createRunWorker({ runStore, execution, places, log }: RunWorkerDeps) {
  const working = new Set<Promise<void>>();
  const shutdown = new AbortController();
  let isStopping = false;
  /** Whether the latest claim has filled all slots. */
  let isFull = false;
  let last: Promise<unknown> = Promise.resolve();
  let waiting: (() => void) | undefined;
  let stopped: Promise<void> | undefined;

  /**
   * Claims runs for all free slots. Claims are sequential, so that two never fill the same slots.
   * @returns the number of runs, and whether there may be more
   */
  function claim(from: (limit: number) => Promise<Run[]>): Promise<{ count: number; isFull: boolean }> {
    const claimed = last.then(async () => {
      const free = isStopping ? 0 : places - working.size;
      const runs = free > 0 ? await from(free) : [];
      runs.forEach(begin);
      isFull = runs.length >= free;
      return { count: runs.length, isFull };
    });
    last = claimed.catch(() => undefined);
    return claimed;
  }

  function begin(run: Run): void {
    const { _id, _work } = run;
    const work = () => withSpan('run.process', () => execution.process(run, shutdown.signal));
    const done = runInCall({ requestId: _id, ..._work.trace }, work)
      .catch((error: unknown) => log.warn({ err: error, runId: _id }, 'a run could not be released for other workers'))
      .finally(() => {
        working.delete(done);
        placeIsFree();
      });
    working.add(done);
  }

  function placeIsFree(): void {
    if (waiting) return waiting();
    if (!isFull) return;
    claim(runStore.claimQueued).catch((error: unknown) => log.warn({ err: error }, 'could not search for queued runs'));
  }

  /** @returns whether one becomes free in time */
  function freePlace(signal: AbortSignal): Promise<boolean> {
    if (working.size < places) return Promise.resolve(true);
    const found = new Promise<boolean>((resolve) => (waiting = () => resolve(true)));
    return Promise.race([found, delay(HOLD_MS, false, { signal })]).finally(() => (waiting = undefined));
  }

  async function stop(graceMs: number): Promise<void> {
    isStopping = true;
    const idle = async () => {
      await last;
      await Promise.allSettled(working);
    };
    await Promise.race([idle(), delay(Math.max(1, graceMs - CUT_MS), undefined, { ref: false })]);
    shutdown.abort(new Error('The worker is stopping.'));
    await Promise.race([idle(), delay(LAST_WRITES_MS, undefined, { ref: false })]);
  }

  return {
    /**
     * Starts queued runs. The message stays in the queue until no run waits for a slot, so that `queue_jobs` shows
     * whether workers are missing. @throws Postponed when all slots of this process are taken: another process may have
     * some
     */
    async startQueued(signal: AbortSignal): Promise<void> {
      for (;;) {
        if (isStopping || !(await freePlace(signal))) throw new Postponed(HOLD_MS);
        if (!(await claim(runStore.claimQueued)).isFull) return;
      }
    },

    /** Takes over lost runs, and starts queued ones whose message was missed. @returns the number of lost runs */
    async recover(): Promise<number> {
      const { count } = await claim(runStore.claimLost);
      await claim(runStore.claimQueued);
      return count;
    },

    /** Resolves within `graceMs`. Runs that are still running are left to other processes. */
    stop: (graceMs: number): Promise<void> => (stopped ??= stop(graceMs)),
  };
}

type RunWorker = ReturnType<typeof createRunWorker>;

/**
 * Together with a run's lease, this determines how soon another worker takes over the runs of one that died: within 30
 * seconds.
 */
const RECOVER_EVERY_MS = 5_000;

interface RecoveryDeps extends ProcessContext {
  config: Pick<Config, 'SHUTDOWN_GRACE_MS'>;
  runWorker: RunWorker;
}

export function recoverRuns({ config, runWorker, lifecycle, log }: RecoveryDeps): void {
  const sweep = startSweep({ what: 'runs', recover: () => runWorker.recover(), log, everyMs: RECOVER_EVERY_MS });
  lifecycle.onStop('sweep of runs', () => sweep.stop());
  // Stops before the queue workers, which may use all the remaining time. The creator of the run worker awaits its
  // stop.
  lifecycle.onStop('start of runs', () => void runWorker.stop(config.SHUTDOWN_GRACE_MS));
}

const REMOVE_EVERY_MS = 3_600_000;
const DAY_MS = 24 * 3_600_000;

interface HistoryDeps extends ProcessContext {
  config: Pick<Config, 'RUNS_KEPT_DAYS'>;
  runStore: Pick<RunStore, 'removeEndedBefore'>;
  mongo: Mongo;
}

/** Removes runs that ended long ago, in one process at a time. */
export function removeOldRuns({ config, mongo, runStore, lifecycle, log }: HistoryDeps): void {
  async function work(signal: AbortSignal): Promise<void> {
    const count = await runStore.removeEndedBefore(Date.now() - config.RUNS_KEPT_DAYS * DAY_MS, signal);
    if (count > 0) log.info({ count }, 'removed old runs');
  }
  const lease = createLease(mongo, 'run-history');
  const sweep = startExclusiveSweep({ what: 'old runs', lease, work, log, everyMs: REMOVE_EVERY_MS });
  lifecycle.onStop('sweep of old runs', () => sweep.stop());
}
