import pTimeout from 'p-timeout';
import { AppError, describeIssues, isUnavailable } from '@dtplatform/errors';
import { LeaseLost } from '@dtplatform/lease';
import type { KeptLease } from '@dtplatform/lease';
import type { Logger } from '@dtplatform/logging';
import { errors } from '../../errors.js';
import type { Components, StepContext } from '../components/component.js';
import type { ActAs, Cancellations, RunEnd, RunStore } from './ports.js';
import { subjectOfSteps } from './run.js';
import type { Run, RunStep } from './run.js';

/** A run that was started this often probably crashes the process each time. */
const MAX_CLAIMS = 20;

/** The run exceeded its time limit. */
class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
}

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
  runStore: RunStore;
  components: Components;
  actAs: ActAs;
  cancellations: Cancellations;
  log: Logger;
}

/**
 * Runs the steps of runs, in order. A completed step never runs again; a step that was interrupted by a crash does. The
 * outcome is one write at the end of the run; each step but the last adds one more.
 */
export function createRunExecution({ runStore, components, actAs, cancellations, log }: ExecutionDeps): RunExecution {
  /** @returns how the run ended, or undefined when this process no longer holds it. @throws when it must be retried */
  async function runSteps(run: Run, signal: AbortSignal, context: WorkContext): Promise<RunEnd | undefined> {
    const steps = run.orchrunsteps;
    const starter = actAs(subjectOfSteps(run));
    let result: unknown;
    for (let index = run._work.done; index < steps.length; index++) {
      if (index > run._work.done && !(await runStore.progress(run, index))) return undefined;
      try {
        signal.throwIfAborted();
        // The run's time limit is part of the signal. A step may ignore the signal, so nothing waits for it after that.
        result = await pTimeout(runStep(steps[index]!, run, { starter, signal }), { milliseconds: Infinity, signal });
      } catch (error) {
        // A step that heeds the signal fails with an error of its own; what counts is why the signal was aborted.
        return endOf(signal.aborted ? signal.reason : error, run, index, context);
      }
    }
    const _result: unknown = JSON.parse(JSON.stringify(result ?? null));
    return { _status: 'COMPLETED', done: steps.length, _result };
  }

  async function runStep(step: RunStep, run: Run, context: Pick<StepContext, 'starter' | 'signal'>): Promise<unknown> {
    const component = components.get(step._compid);
    if (!component) throw new Error(`there is no component ${step._compid}`);
    const params: unknown = JSON.parse(step._actualparams);
    const issues = component.check(params);
    if (issues.length > 0) {
      throw errors.badStepParameters({
        message: `The parameters of the step are not valid. ${describeIssues(issues)}`,
      });
    }
    const ignore = () => undefined;
    return component.run(params, { namespace: run._work.namespace, progress: ignore, log: ignore, ...context });
  }

  function endOf(error: unknown, run: Run, done: number, context: WorkContext): RunEnd | undefined {
    const failed = (_statusmsg: string): RunEnd => ({ _status: 'ERROR', done, _statusmsg });
    if (error instanceof LeaseLost) return undefined;
    if (error instanceof OutOfTime) return failed('The run took longer than its time limit.');
    if (context.shutdown?.aborted || (context.mayRetry && isUnavailable(error))) throw error;
    log.warn({ err: error, runId: run._id }, 'a step failed');
    return failed(error instanceof AppError ? error.message : 'The step failed.');
  }

  /**
   * Claims a run and works on it until it has ended, was cancelled, exceeds its time limit or another process takes it
   * over.
   */
  async function work(runId: string, claim: () => Promise<Run | undefined>, context: WorkContext): Promise<void> {
    const { shutdown } = context;
    const stopping = new AbortController();
    const signal = shutdown ? AbortSignal.any([shutdown, stopping.signal]) : stopping.signal;
    // Before the claim, so that no cancellation is missed in between.
    const unsubscribe = cancellations.onCancelled(runId, () => stopping.abort(new LeaseLost()));
    let timer: NodeJS.Timeout | undefined;
    let kept: KeptLease | undefined;
    try {
      const run = await claim();
      if (!run) return;
      const { startedAt = Date.now(), timeoutMs, lease, done } = run._work;
      timer = setTimeout(() => stopping.abort(new OutOfTime()), startedAt + timeoutMs - Date.now());
      kept = runStore.keep(run, signal);
      const end: RunEnd | undefined =
        lease.fence > MAX_CLAIMS
          ? { _status: 'ERROR', done, _statusmsg: 'The run was started too often.' }
          : await runSteps(run, kept.signal, context);
      if (end) await runStore.end(run, end);
    } finally {
      kept?.stop();
      clearTimeout(timer);
      unsubscribe();
    }
  }

  return {
    process: (runId, context) => work(runId, () => runStore.claim(runId), context),
    async runNow(run) {
      await work(run._id, () => runStore.insertClaimed(run), { mayRetry: false });
      return (await runStore.find(run._id)) ?? run;
    },
  };
}
