import { setTimeout as delay } from 'node:timers/promises';
import type { CallReport, ClaimedCall } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Component, StepContext } from '../components/component.js';
import { errors } from '../errors.js';
import { subjectOfSteps } from '../orchrun/run.js';
import type { Run } from '../orchrun/run.js';
import type { RunStore } from '../orchrun/runs.store.js';
import { callIdOf, newCall } from './component-call.js';
import type { ComponentCall } from './component-call.js';
import type { ComponentCallStore } from './component-calls.store.js';

const FIRST_POLL_MS = 50;
const MAX_POLL_MS = 1_000;
/** A call without a worker for this long may have lost its job. */
const QUEUED_TOO_LONG_MS = 60_000;
/** Allowed skew between the clocks of this process and the database. */
const CLOCK_SLACK_MS = 5_000;

interface Deps {
  callStore: ComponentCallStore;
  runStore: Pick<RunStore, 'find'>;
}

/** Calls of components that other teams' processes serve. */
export function createComponentCalls({ callStore, runStore }: Deps) {
  /** The run of a call, if it is still waiting for it. */
  async function waitingRun(id: string): Promise<Run> {
    const call = await callStore.find(id);
    if (!call) throw commonErrors.notFound();
    const run = await runStore.find(call._runId);
    const startedAt = run?._work.startedAt;
    const isWaiting = run?._status === 'RUNNING' && startedAt !== undefined;
    if (!isWaiting || callIdOf({ ...call, startedAt }) !== id) throw errors.callEnded();
    return run;
  }

  return {
    /** Runs a step: waits until a worker has ended its call. */
    work: async (
      { name, mayRunAgain }: Pick<Component, 'name' | 'mayRunAgain'>,
      context: StepContext,
    ): Promise<unknown> => {
      const run = await runStore.find(context.runId);
      const startedAt = run?._work.startedAt;
      if (startedAt === undefined) throw new Error('the run has not started');
      const ids = { _runId: context.runId, _stepId: context.stepId };
      const call = newCall({ ...ids, component: name, mayRunAgain, startedAt });
      await callStore.open(call);
      return waitForEnd(call._id, context);
    },
    /**
     * For a worker. @throws 404; 409 when there is nothing to do: the call or its run has ended, or another worker
     * holds it
     */
    async claim(id: string): Promise<ClaimedCall> {
      const run = await waitingRun(id);
      const call = await callStore.claim(id);
      const step = run.orchrunsteps.find((one) => one.id === call?._stepId);
      if (!call || !step) throw errors.callEnded();
      return {
        id,
        params: JSON.parse(step._actualparams) as ClaimedCall['params'],
        namespace: run._work.namespace,
        starter: subjectOfSteps(run),
        fence: call.lease.fence,
      };
    },
    /**
     * For the worker that has claimed it. @throws 404; 409 when the worker must stop: it has lost the call or the run
     * has ended
     */
    async report(id: string, report: CallReport): Promise<void> {
      await waitingRun(id);
      if (!(await callStore.report(id, report))) throw errors.callEnded();
    },
  };

  async function waitForEnd(id: string, context: StepContext): Promise<unknown> {
    let seenLines = 0;
    for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(waitMs * 2, MAX_POLL_MS)) {
      const call = await callStore.find(id);
      if (!call) throw new Error('the call of the component is gone');
      for (const line of call.lines.slice(seenLines)) context.log(line);
      seenLines = call.lines.length;
      if (call.percent !== undefined) context.progress(call.percent, call.message);
      if (call.status === 'COMPLETED') return JSON.parse(call.resultText ?? 'null') as unknown;
      if (call.status === 'ERROR') throw errors.componentFailed({ message: call.error });
      if (isLost(call)) await callStore.recover(call);
      await delay(waitMs, undefined, { signal: context.signal });
    }
  }
}

export type ComponentCalls = ReturnType<typeof createComponentCalls>;

function isLost({ status, queuedAt, lease }: ComponentCall): boolean {
  if (status === 'QUEUED') return queuedAt + QUEUED_TOO_LONG_MS < Date.now();
  return lease.until !== undefined && lease.until.getTime() + CLOCK_SLACK_MS < Date.now();
}
