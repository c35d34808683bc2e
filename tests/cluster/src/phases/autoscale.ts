import { callDuring, createActions, createLedger, createLoadUser } from '@dtplatform/bench/callers';
import { underLoad } from '../load/load.js';
import { readyPods, untilAdded, untilRemoved, type Component } from '../pods/scaled-pods.js';
import type { TestRun } from '../test-run.js';
import { upgradeWith } from '../deploy.js';

/** Hardly used by the steady load of `underLoad`. */
const SCALED: Component = { service: 'metricsvc', component: 'api' };
const LEAST = 2;
const MOST = 4;
/** Percentage of a request of 10m: more than a pod needs for the steady load, less than it can use. */
const TARGET_PERCENT = 800;
const HEAVY = { callers: 8, pauseMs: 0 };

/**
 * Enables an autoscaler, which must keep the running pods, makes it add pods under load and waits until it has removed
 * them. No request may fail.
 */
export async function autoscale(run: TestRun): Promise<void> {
  if (!(await run.kubectl.serves('pods.metrics.k8s.io')))
    return void run.skip('autoscale', 'the cluster has no metrics server (metrics.k8s.io)');
  await switchTo(run, { enabled: false });
  await underLoad(run, { what: 'autoscale', mayFail: false }, async () => {
    await switchOn(run);
    await addPods(run);
    const took = await untilRemoved(run, SCALED, LEAST);
    run.report.ready('autoscale', `back to ${LEAST} pods ${took.toFixed(0)} s after the load`);
  });
  await switchTo(run, { enabled: false });
}

async function switchTo(run: TestRun, autoscaling: { enabled: boolean }): Promise<void> {
  const behavior = { scaleDown: { stabilizationWindowSeconds: 15 } };
  const limits = { minReplicas: LEAST, maxReplicas: MOST, targetCPUUtilization: TARGET_PERCENT, behavior };
  const values = { [SCALED.service]: { autoscaling: { ...limits, ...autoscaling } } };
  await upgradeWith(run, { values });
}

async function switchOn(run: TestRun): Promise<void> {
  const before = await readyPods(run, SCALED);
  await switchTo(run, { enabled: true });
  const after = await readyPods(run, SCALED);
  const lost = before.filter((name) => !after.includes(name));
  if (lost.length > 0) throw new Error(`switching the autoscaler on removed ${lost.join(', ')}`);
  run.report.ready('autoscale', `switched on, the ${before.length} pods stayed`);
}

/** Loads the service until the autoscaler has added its maximum of pods. */
async function addPods(run: TestRun): Promise<void> {
  const { dev, signal, report } = run;
  const user = await createLoadUser(dev, signal);
  const actions = createActions(dev, user, createLedger(user)).filter(([name]) => name === 'readMetric');
  let took = 0;
  const work = async () => void (took = await untilAdded(run, SCALED, MOST));
  const { requests, failures } = await callDuring(actions, signal, work, HEAVY);
  if (failures.length > 0) throw new Error(`${failures.length} of ${requests} requests failed: ${failures[0]}`);
  report.ready('autoscale', `${MOST} pods after ${took.toFixed(0)} s of load, ${requests} requests, none failed`);
}
