import { randomUUID } from 'node:crypto';
import { FILES, ORCHESTRATORS } from '@dtplatform/stack/client';
import { createActions, createLedger, type LoadUser } from '@dtplatform/bench/callers';
import { PLATFORM_PODS } from '../../context.js';
import { crashPod } from '../../pods/crash-pod.js';
import { inProcess } from '../../tools/in-pod.js';
import { ALL, keepCalling, loadGrants, orUndo, undoAll, type Fault, type Lab } from '../fault.js';
import { putMessages, removeMessages } from './messages.js';

/**
 * How long a process is paused, and how long it then runs. Longer than the alerts' threshold of a second; two pauses
 * are shorter than a probe's timeout, and one is shorter than that of the checks behind it, so that pods stay ready and
 * get requests.
 */
const STILL_MS = 1_200;
/** The lag is sampled every 100 ms. One of 6 samples is long, which shows in the 99th percentile. */
const GO_ON_MS = 600;
const STAND_STILL = `globalThis.standingStill ??= setInterval(
  () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${STILL_MS}), ${GO_ON_MS});`;
const GO_ON = 'clearInterval(globalThis.standingStill); delete globalThis.standingStill;';
/** More than the 500 loads that may wait. Their files do not exist, so they end soon. */
const LOADS = 8_000;

const inEveryProcess = async ({ kubectl }: Lab, expression: string): Promise<void> => {
  const pods = await kubectl.pods(PLATFORM_PODS);
  await Promise.all(pods.map(({ metadata }) => inProcess(kubectl, metadata.name, expression)));
};

/** Like a long computation, but without using the node's CPU. */
export const processesStandStill: Fault = {
  what: 'Every process stands still most of the time',
  fires: {
    EventLoopIsBlocked: ALL,
    RequestsAreSlow: ALL,
    GrantsAreSlow: ['objectmodelsvc'],
    ListsAreSlow: ['itemsvc'],
    LoadsWait: ['graphicssvc'],
  },
  async make(lab) {
    const { kubectl, dev, user } = lab;
    const actions = createActions(dev, user, createLedger(user)).map(([, call]) => call);
    const load = { queue: 'graphicssvc.loads', name: 'load.process', payload: { loadId: 'none' }, forget: true };
    const goOn = () => inEveryProcess(lab, GO_ON);
    await orUndo(goOn, async () => {
      await inEveryProcess(lab, STAND_STILL);
      await putMessages(kubectl, ['graphicssvc'], { count: LOADS, ...load });
    });
    const stopCalls = keepCalling(lab, [...actions, ...readsOf(user), () => loadGrants(lab)], 50);
    return undoAll(() => removeMessages(kubectl, ['graphicssvc']), goOn, stopCalls);
  },
};

/**
 * Excludes datasourcesvc and filesvc, whose actions take as long as a run or a body, which the alert does not count,
 * and graphicssvc, whose actions are rare. The grants in an unused namespace are loaded from objectmodelsvc, which is
 * paused, too.
 */
function readsOf({ caller }: LoadUser) {
  const paths = [FILES, ORCHESTRATORS, '/graphicssvc/api/v1/filesets'];
  return paths.map((path) => () => caller.call('GET', path, { query: { nsfilter: randomUUID() } }));
}

const CRASHED = 'metricsvc';
const CRASHES = 3;

/** Nothing to undo: the pod recovers. */
export const containerCrashes: Fault = {
  what: 'A process crashes again and again',
  fires: { ContainerRestarts: [CRASHED] },
  async make({ kubectl }) {
    const selector = `app.kubernetes.io/name=${CRASHED},app.kubernetes.io/component=api`;
    const [pod] = await kubectl.pods(selector);
    if (!pod) throw new Error(`${CRASHED} has no pod`);
    for (let crash = 0; crash < CRASHES; crash += 1) {
      await kubectl.run('wait', `pod/${pod.metadata.name}`, '--for=jsonpath={.status.phase}=Running');
      await crashPod(kubectl, pod.metadata.name);
    }
    return () => kubectl.run('rollout', 'status', `deployment/${CRASHED}`, '--timeout=180s');
  },
};

const FULL = 'datasourcesvc';
/** Supports both versions of control groups. */
const FILL_MEMORY = `(() => {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const read = (...files) => {
    for (const file of files) try { return Number(readFileSync('/sys/fs/cgroup/' + file, 'utf8')); } catch {}
  };
  const limit = read('memory.max', 'memory/memory.limit_in_bytes');
  const used = () => read('memory.current', 'memory/memory.usage_in_bytes');
  globalThis.ballast = [];
  while (used() < 0.95 * limit) globalThis.ballast.push(Buffer.alloc(2 ** 20, 1));
})()`;

/** The pod is replaced afterwards, because memory returns to the node slowly. */
export const memoryIsFull: Fault = {
  what: 'A process uses nearly all of its memory',
  fires: { MemoryIsNearItsLimit: [FULL] },
  async make({ kubectl }) {
    const [pod] = await kubectl.pods(`app.kubernetes.io/name=${FULL},app.kubernetes.io/component=api`);
    if (!pod) throw new Error(`${FULL} has no pod`);
    await inProcess(kubectl, pod.metadata.name, FILL_MEMORY);
    return async () => {
      await kubectl.run('delete', 'pod', pod.metadata.name, '--wait=false');
      await kubectl.run('rollout', 'status', `deployment/${FULL}`, '--timeout=180s');
    };
  },
};
