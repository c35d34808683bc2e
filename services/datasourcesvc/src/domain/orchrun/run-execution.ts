import pTimeout from 'p-timeout';
import { AppError, isUnavailable } from '@dtplatform/errors';
import type { Logger } from '@dtplatform/logging';
import type { Components } from '../components/component.js';
import type { Cancellations, RunEnd, RunStore } from './ports.js';
import { RunStopped, watchRun } from './run-watch.js';
import type { RunWatch } from './run-watch.js';
import type { Run, RunStep } from './run.js';

/** A run that was started this often probably crashes the process each time. */
const MAX_CLAIMS = 20;

interface WorkContext {
  /** Aborted when this process shuts down: another one continues the run. */
  shutdown?: AbortSignal;
  /** Whether a step is retried later when part of the platform is unavailable; otherwise the run fails. */
  mayRetry: boolean;
}

export interface RunExecution {
  /** Works on a queued run, or on one that another process left behind. Rejects when the run must be retried. */
  process(runId: string, context: WorkContext): Promise<void>;
  /** Runs it in this process. @returns the run after its end */
  runNow(run: Run): Promise<Run>;
}

interface ExecutionDeps {
  store: RunStore;
  components: Components;
  cancellations: Cancellations;
  log: Logger;
}

/**
 * Runs the steps of runs, in order. A completed step never runs again; a step that was interrupted by a crash does. The
 * outcome is one write at the end of the run; each step but the last adds one more.
 */
export function createRunExecution(deps: ExecutionDeps): RunExecution {
  const { store, components, log } = deps;

  /** @returns how the run ended, or undefined when this process no longer holds it. @throws when it must be retried */
  async function runSteps(run: Run, watch: RunWatch, context: WorkContext): Promise<RunEnd | undefined> {
    const { signal } = watch;
    const steps = run.orchrunsteps;
    let result: unknown;
    for (let index = run._work.done; index < steps.length; index++) {
      if (index > run._work.done && !(await store.progress(run, index))) return undefined;
      try {
        signal.throwIfAborted();
        // The run's time limit is part of the signal. A step may ignore the signal, so nothing waits for it after that.
        result = await pTimeout(runStep(steps[index]!, run, signal), { milliseconds: Infinity, signal });
      } catch (error) {
        // A step that heeds the signal fails with an error of its own; what counts is why the signal was aborted.
        return endOf(signal.aborted ? signal.reason : error, run, index, context);
      }
    }
    return { status: 'COMPLETED', done: steps.length, result };
  }

  async function runStep(step: RunStep, run: Run, signal: AbortSignal): Promise<unknown> {
    const component = components.get(step._compid);
    if (!component) throw new Error(`there is no component ${step._compid}`);
    return component.run(JSON.parse(step._actualparams), { namespace: run._work.namespace, signal });
  }

  function endOf(error: unknown, run: Run, done: number, context: WorkContext): RunEnd | undefined {
    const failed = (statusMsg: string): RunEnd => ({ status: 'ERROR', done, statusMsg });
    if (error instanceof RunStopped) {
      return error.reason === 'lost' ? undefined : failed('The run took longer than its time limit.');
    }
    if (context.shutdown?.aborted || (context.mayRetry && isUnavailable(error))) throw error;
    log.warn({ err: error, runId: run._id }, 'a step failed');
    return failed(error instanceof AppError ? error.message : 'The step failed.');
  }

  async function work(run: Run, watch: RunWatch, context: WorkContext): Promise<void> {
    watch.start(run);
    const { claims, done } = run._work;
    const end: RunEnd | undefined =
      claims > MAX_CLAIMS
        ? { status: 'ERROR', done, statusMsg: 'The run was started too often.' }
        : await runSteps(run, watch, context);
    if (end) await store.end(run, end);
  }

  return {
    async process(runId, context) {
      const watch = watchRun(runId, { ...deps, shutdown: context.shutdown });
      try {
        const run = await store.claim(runId);
        if (run) await work(run, watch, context);
      } finally {
        watch.close();
      }
    },
    async runNow(queued) {
      const watch = watchRun(queued._id, deps);
      try {
        const run = await store.insertClaimed(queued);
        await work(run, watch, { mayRetry: false });
        return (await store.find(run._id)) ?? run;
      } finally {
        watch.close();
      }
    },
  };
}
