import { LeaseLost } from '@dtplatform/lease';
import type { Logger } from '@dtplatform/logging';
import type { Components } from '../components/components.js';
import type { Cancellations } from './cancellations.client.js';
import type { RunEnd } from './held-runs.store.js';
import { createStepRunner, OutOfTime } from './run-steps.js';
import type { ActAs, WorkContext } from './run-steps.js';
import { INTERRUPTED } from './run.js';
import type { Run } from './run.js';
import type { RunStore } from './runs.store.js';

/** A run that was started this often probably crashes its process each time. */
const MAX_CLAIMS = 20;
/** How often a run is postponed while part of the platform is unavailable, and the first delay. */
const MAX_POSTPONED = 4;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 600_000;
const PROCESS_ENDED = 'The process that was executing the run ended.';

interface ExecutionDeps {
  runStore: RunStore;
  components: Pick<Components, 'named'>;
  actAs: ActAs;
  cancellations: Pick<Cancellations, 'onCancelled'>;
  log: Logger;
}

/**
 * Executes runs. A completed step never runs again. An interrupted step runs again if its component allows that;
 * otherwise the run ends as ERROR.
 */
export function createRunExecution(deps: ExecutionDeps) {
  const { runStore, cancellations, log } = deps;
  const runSteps = createStepRunner(deps);

  async function outcomeOf(run: Run, signal: AbortSignal, context: WorkContext): Promise<RunEnd | undefined> {
    const { lease, fenceAtRetry = 0, done, mustNotRepeat, instant } = run._work;
    const failed = (_statusmsg: string): RunEnd => ({ _status: 'ERROR', done, steps: {}, _statusmsg });
    if (lease.fence - fenceAtRetry > MAX_CLAIMS) return failed('The run was started too many times.');
    if (mustNotRepeat) return failed(INTERRUPTED);
    // Its caller has disconnected.
    if (instant && context.shutdown) return failed(PROCESS_ENDED);
    return runSteps(run, signal, context);
  }

  async function work(run: Run, context: WorkContext): Promise<void> {
    const { shutdown } = context;
    const { retries = 0, startedAt = Date.now(), timeoutMs } = run._work;
    const stopping = new AbortController();
    // Not AbortSignal.any, which keeps a record of each run at the process's signal.
    const leave = () => stopping.abort(shutdown?.reason);
    if (shutdown?.aborted) leave();
    shutdown?.addEventListener('abort', leave);
    // A cancellation before this is noticed by the first write.
    const stop = () => stopping.abort(new LeaseLost());
    const unsubscribe = cancellations.onCancelled({ runId: run._id, retries }, stop);
    const timer = setTimeout(() => stopping.abort(new OutOfTime()), startedAt + timeoutMs - Date.now());
    const kept = runStore.keep(run, stopping.signal);
    try {
      const end = await outcomeOf(run, kept.signal, context);
      if (end) await runStore.end(run, end);
    } finally {
      kept.stop();
      clearTimeout(timer);
      unsubscribe();
      shutdown?.removeEventListener('abort', leave);
    }
  }

  return {
    /**
     * Works on a run that this process has claimed, until it has ended, was cancelled, exceeds its time limit, or is
     * left to another process.
     * @param shutdown aborts when this process stops
     */
    async process(run: Run, shutdown: AbortSignal): Promise<void> {
      const { postponed = 0 } = run._work;
      try {
        await work(run, { shutdown, mayRetry: postponed < MAX_POSTPONED });
      } catch (error) {
        const pauseMs = shutdown.aborted ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** postponed, MAX_PAUSE_MS);
        log.warn({ err: error, runId: run._id, pauseMs }, 'a run was interrupted; any worker can resume it');
        await runStore.putOff(run, pauseMs);
      }
    },
    /** Runs it in this process. @param claim stores or claims it. @returns the ended run */
    async runNow(claim: () => Promise<Run>): Promise<Run> {
      const run = await claim();
      await work(run, { mayRetry: false });
      return (await runStore.find(run._id)) ?? run;
    },
  };
}

export type RunExecution = ReturnType<typeof createRunExecution>;
