import { AppError } from '@dtplatform/errors';
import type { Logger } from '@dtplatform/logging';
import type { Components } from './component.js';
import type { Cancellations, RunEnd, RunStore } from './ports.js';
import { RunStopped, unlessAborted, watchRun } from './run-watch.js';
import type { RunWatch } from './run-watch.js';
import type { Run, RunStep } from './run.js';

/** A run that was begun this often takes its process down each time. */
const MAX_CLAIMS = 20;
const UNAVAILABLE = 503;

/** How a worker works on a run. */
interface WorkContext {
  /** Aborted when this process must end: the run goes on elsewhere. */
  shutdown?: AbortSignal;
  /** Whether a step that met a part of the platform that is away is tried again later; else the run fails. */
  mayRetry: boolean;
}

export interface RunExecution {
  /** Works on a queued run, or on one that another process left. Throws when the run must be tried again. */
  process(runId: string, context: WorkContext): Promise<void>;
  /** Runs it here and now; gives it as it ended. */
  runNow(run: Run): Promise<Run>;
}

/**
 * Runs the steps of runs, in order. A completed step is never run again, the step that a process died in is. What a run came
 * to is one write at its end; there is one more for each step before the last.
 */
export function createRunExecution(deps: {
  store: RunStore;
  components: Components;
  cancellations: Cancellations;
  log: Logger;
}): RunExecution {
  const { store, components, log } = deps;

  /** Gives how the run ended, or undefined when another process has its say. @throws when it is to be tried again */
  async function runSteps(run: Run, watch: RunWatch, context: WorkContext): Promise<RunEnd | undefined> {
    const steps = run.orchrunsteps;
    let result: unknown;
    for (let index = run._work.done; index < steps.length; index++) {
      if (index > run._work.done && !(await store.progress(run, index))) return undefined;
      try {
        result = await unlessAborted(watch.signal, () => runStep(steps[index]!, run, watch.signal));
      } catch (error) {
        // A step that heeds the signal fails with an error of its own; what counts is why the signal was given.
        return endOf(watch.signal.aborted ? watch.signal.reason : error, run, index, context);
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
      if (error.reason === 'shutdown') throw error;
      return error.reason === 'lost' ? undefined : failed('The run took longer than its time limit.');
    }
    const isAway = error instanceof AppError && error.status === UNAVAILABLE;
    if (isAway && context.mayRetry) throw error;
    log.warn({ err: error, runId: run._id }, 'a step failed');
    return failed(error instanceof AppError ? error.message : 'The step failed.');
  }

  async function work(run: Run, watch: RunWatch, context: WorkContext): Promise<void> {
    watch.start(run);
    const { claims, done } = run._work;
    const end: RunEnd | undefined =
      claims > MAX_CLAIMS
        ? { status: 'ERROR', done, statusMsg: 'The run was begun too often.' }
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
