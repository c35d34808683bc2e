import { LeaseLost } from '@dtplatform/lease';
import type { KeptLease } from '@dtplatform/lease';
import type { Logger } from '@dtplatform/logging';
import type { Components } from '../components/component.js';
import type { ActAs, Attempt, Cancellations, RunEnd, RunStore } from './ports.js';
import { createStepRunner, OutOfTime } from './run-steps.js';
import type { WorkContext } from './run-steps.js';
import { INTERRUPTED } from './run.js';
import type { Run } from './run.js';

/** A run that was started this often probably crashes the process each time. */
const MAX_CLAIMS = 20;

/** `'held'`: another process works on a step of the run that may not run again; whether it is alive is known later. */
type Processed = 'held' | undefined;

export interface RunExecution {
  /** Works on a queued run, or on one that another process left behind. Rejects when the run must be retried. */
  process(runId: string, context: WorkContext): Promise<Processed>;
  /** Runs it in this process. @param claim stores or claims it. @returns the run after its end */
  runNow(attempt: Attempt, claim: () => Promise<Run>): Promise<Run>;
}

interface ExecutionDeps {
  runStore: RunStore;
  components: Components;
  actAs: ActAs;
  cancellations: Cancellations;
  log: Logger;
}

/**
 * Executes runs. A completed step never runs again. A step that was cut runs again if its component allows that; otherwise the
 * run ends as ERROR.
 */
export function createRunExecution(deps: ExecutionDeps): RunExecution {
  const { runStore, cancellations } = deps;
  const runSteps = createStepRunner(deps);

  async function outcomeOf(run: Run, signal: AbortSignal, context: WorkContext): Promise<RunEnd | undefined> {
    const { lease, fenceAtRetry = 0, done, mustNotRepeat } = run._work;
    const failed = (_statusmsg: string): RunEnd => ({ _status: 'ERROR', done, steps: {}, _statusmsg });
    if (lease.fence - fenceAtRetry > MAX_CLAIMS) return failed('The run was started too often.');
    if (mustNotRepeat) return failed(INTERRUPTED);
    return runSteps(run, signal, context);
  }

  /**
   * Claims a run and works on it until it has ended, was cancelled, exceeds its time limit or another process takes it
   * over.
   */
  async function work(
    attempt: Attempt,
    claim: () => Promise<Run | 'held' | undefined>,
    context: WorkContext,
  ): Promise<Run | 'held' | undefined> {
    const { shutdown } = context;
    const stopping = new AbortController();
    const signal = shutdown ? AbortSignal.any([shutdown, stopping.signal]) : stopping.signal;
    // Before the claim, so that no cancellation is missed in between.
    const unsubscribe = cancellations.onCancelled(attempt, () => stopping.abort(new LeaseLost()));
    let timer: NodeJS.Timeout | undefined;
    let kept: KeptLease | undefined;
    try {
      const run = await claim();
      if (run === undefined || run === 'held') return run;
      const { startedAt = Date.now(), timeoutMs } = run._work;
      timer = setTimeout(() => stopping.abort(new OutOfTime()), startedAt + timeoutMs - Date.now());
      kept = runStore.keep(run, signal);
      const end = await outcomeOf(run, kept.signal, context);
      if (end) await runStore.end(run, end);
      return run;
    } finally {
      kept?.stop();
      clearTimeout(timer);
      unsubscribe();
    }
  }

  return {
    async process(runId, context) {
      const { retries } = context;
      const worked = await work({ runId, retries }, () => runStore.claim(runId, retries), context);
      return worked === 'held' ? 'held' : undefined;
    },
    async runNow(attempt, claim) {
      const run = await work(attempt, claim, { mayRetry: false });
      return (await runStore.find(attempt.runId)) ?? (run as Run);
    },
  };
}
