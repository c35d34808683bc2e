import pTimeout from 'p-timeout';
import { AppError, describeIssues, isUnavailable } from '@dtplatform/errors';
import { LeaseLost } from '@dtplatform/lease';
import type { Logger } from '@dtplatform/logging';
import type { Component, StarterTokens, StepContext } from '../components/component.js';
import type { Components } from '../components/components.js';
import { errors } from '../errors.js';
import type { RunEnd, StepChanges } from './held-runs.store.js';
import { INTERRUPTED, NOT_STARTED, subjectOfSteps } from './run.js';
import type { Run, RunStep, StepState } from './run.js';
import type { RunStore } from './runs.store.js';
import { createStepReport, resultOf } from './step-report.js';

/** All log lines of a run. */
const MAX_LOGS_BYTES = 512 * 1024;

export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
}

export interface WorkContext {
  /** Aborts when this process shuts down: another one continues the run. */
  shutdown?: AbortSignal;
  /** Whether a step is retried later when part of the platform is unavailable; otherwise the run fails. */
  mayRetry: boolean;
}

interface StepRunnerDeps {
  runStore: Pick<RunStore, 'record' | 'report'>;
  components: Pick<Components, 'named'>;
  actAs: ActAs;
  log: Logger;
}

/** Tokens that act for a user, an app or a permission profile. */
export type ActAs = (subject: { id: string; type: Run['_work']['starterType'] }) => StarterTokens;

interface Work {
  run: Run;
  starter: StarterTokens;
  signal: AbortSignal;
  /** Size of logs and results of completed steps. */
  logBytes: number;
  resultBytes: number;
}

/** A step that was not completed. */
interface Stop {
  error: unknown;
  index: number;
  /** Not stored yet. */
  steps: StepChanges;
  mayRunAgain: boolean;
  hasBegun: boolean;
}

/** How a step ended; undefined when this process no longer holds the run. */
type Outcome = { state: StepState; stop?: undefined } | { stop: Stop } | undefined;

/**
 * Runs the remaining steps of a claimed run in order. The start of a step is stored before it begins, together with the
 * end of the previous one.
 * @returns how the run ended; undefined when this process no longer holds it. Rejects when the run must be retried
 */
export function createStepRunner({ runStore, components, actAs, log }: StepRunnerDeps) {
  async function runSteps(run: Run, signal: AbortSignal, context: WorkContext): Promise<RunEnd | undefined> {
    const all = run.orchrunsteps;
    const { done } = run._work;
    const work: Work = { run, signal, starter: actAs(subjectOfSteps(run)), ...sizesOf(all.slice(0, done)) };
    let steps: StepChanges = {};
    let last: StepState | undefined = all[done - 1];
    for (let index = done; index < all.length; index++) {
      const outcome = await runStep(work, index, steps);
      if (!outcome) return undefined;
      if (outcome.stop) return endOf(outcome.stop, run, context);
      last = outcome.state;
      steps = { [index]: last };
      const { logBytes, resultBytes } = sizesOf([last]);
      work.logBytes += logBytes;
      work.resultBytes += resultBytes;
    }
    return { _status: 'COMPLETED', done: all.length, steps, _result: JSON.parse(last?._resulttext ?? 'null') };
  }

  /** @param before changes of the previous step that are not stored yet */
  async function runStep(work: Work, index: number, before: StepChanges): Promise<Outcome> {
    const { run, signal, starter } = work;
    const step = run.orchrunsteps[index]!;
    const component = (await components.named([step._compid])).get(step._compid);
    const mayRunAgain = component?.mayRunAgain ?? true;
    const notBegun = (): Outcome => {
      const steps = { ...before, [index]: NOT_STARTED };
      return { stop: { error: signal.reason, index, steps, mayRunAgain, hasBegun: false } };
    };
    if (isAborted(signal)) return notBegun();
    const started = { ...before, [index]: { ...NOT_STARTED, _startedat: now() } };
    if (!(await runStore.record(run, { done: index, steps: started, mustNotRepeat: !mayRunAgain }))) return undefined;
    if (isAborted(signal)) return notBegun();

    const report = createStepReport({
      write: (reported) => runStore.report(run, index, reported),
      maxLogBytes: MAX_LOGS_BYTES - work.logBytes,
    });
    try {
      const { progress, log: addLine } = report;
      const ids = { stepId: step.id, runId: run._id, namespace: run._work.namespace };
      const context: StepContext = { ...ids, starter, signal, progress, log: addLine };
      // The signal includes the run's time limit. The step may ignore it, so the wait ends with the signal.
      const value = await pTimeout(runComponent(step, component, context), { milliseconds: Infinity, signal });
      const { text, note } = resultOf(value, work.resultBytes);
      const result = note === undefined ? { _resulttext: text } : { _statusmsg: note };
      return { state: { ...(await report.end()), ...result, _endedat: now() } };
    } catch (error) {
      const steps = { [index]: { ...(await report.end()), _endedat: now() } };
      // A step that obeys the signal fails with its own error; the reason of the signal takes precedence.
      const reason: unknown = isAborted(signal) ? signal.reason : error;
      return { stop: { error: reason, index, steps, mayRunAgain, hasBegun: true } };
    }
  }

  async function endOf(stop: Stop, run: Run, context: WorkContext): Promise<RunEnd | undefined> {
    const { error, index: done, steps } = stop;
    const failed = (_statusmsg: string): RunEnd => ({ _status: 'ERROR', done, steps, _statusmsg });
    if (error instanceof LeaseLost) return undefined;
    if (error instanceof OutOfTime) return failed('The run took longer than its time limit.');
    const isStopping = context.shutdown?.aborted ?? false;
    const mayRunAgain = stop.mayRunAgain || !stop.hasBegun;
    if (mayRunAgain && (isStopping || (context.mayRetry && isUnavailable(error)))) {
      if (!stop.hasBegun) await runStore.record(run, { done, steps, mustNotRepeat: false });
      throw error;
    }
    if (isStopping) return failed(INTERRUPTED);
    log.warn({ err: error, runId: run._id }, 'a step failed');
    return failed(error instanceof AppError ? error.message : 'The step failed.');
  }

  return runSteps;
}

async function runComponent(
  { _compid, _actualparams }: RunStep,
  component: Component | undefined,
  context: StepContext,
): Promise<unknown> {
  if (!component) throw new Error(`the component ${_compid} does not exist`);
  const params: unknown = JSON.parse(_actualparams);
  const issues = component.check(params);
  if (issues.length > 0) {
    throw errors.badStepParameters({ message: `The parameters of the step are not valid. ${describeIssues(issues)}` });
  }
  return component.run(params, context);
}

/** A function, because the value changes while steps run. */
const isAborted = ({ aborted }: AbortSignal) => aborted;
const now = () => String(Date.now());

function sizesOf(steps: readonly StepState[]): Pick<Work, 'logBytes' | 'resultBytes'> {
  const sum = (texts: readonly string[]) => texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);
  return {
    logBytes: sum(steps.flatMap(({ _log = [] }) => _log)),
    resultBytes: sum(steps.map(({ _resulttext = '' }) => _resulttext)),
  };
}
