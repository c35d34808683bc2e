import { until } from '@dtplatform/stack';
import { nodeImage, PLATFORM_PODS } from '../context.js';
import { underLoad, UNANSWERED } from '../load/load.js';
import { untilAllReady } from '../pods/all-ready.js';
import type { TestRun } from '../test-run.js';
import { isReady, type Pod } from '../tools/kubectl.js';

const HOG = 'memory-hog';
const HARMED = 3;
/** Until the node has no memory left: 32 MiB per second, and the kubelet checks every ten seconds. */
const FILL_TIMEOUT_SEC = 15 * 60;
/** A kubelet reports pressure for five minutes after it last saw it, and starts no pods until then. */
const PRESSURE_TIMEOUT_MS = 10 * 60_000;
const GROW = 'const hog = []; setInterval(() => hog.push(Buffer.alloc(16 * 1024 * 1024, 1)), 500)';

/**
 * A pod of the cluster takes all memory of a node, until pods of the platform are evicted or do not respond. Afterwards
 * all are ready again, and no acknowledged write is lost. For a node on which nothing else runs.
 */
export async function nodeMemory(run: TestRun): Promise<void> {
  const { kubectl, uninterrupted, report } = run;
  await untilAllReady(run);
  await underLoad(run, { what: 'node memory', mayFail: UNANSWERED }, async () => {
    try {
      await kubectl.apply(await hog(run));
      await untilHarmed(run);
    } finally {
      await uninterrupted.run('delete', 'pod', HOG, '--ignore-not-found', '--wait', '--timeout=120s');
    }
    await untilNoPressure(run);
    await kubectl.run('delete', 'pods', `--selector=${PLATFORM_PODS}`, '--field-selector=status.phase=Failed');
    await untilAllReady(run);
    report.ready('node memory', 'every pod is ready again');
  });
}

/**
 * On the node of a pod of the platform. It has the priority of system pods, so the kubelet evicts others, and the
 * kernel kills others if the kubelet is too slow.
 */
async function hog({ kubectl, options }: TestRun) {
  const query = '--output=jsonpath={.items[0].spec.nodeName}';
  const nodeName = await kubectl.run('get', 'pods', `--selector=${PLATFORM_PODS}`, query);
  return {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: HOG } },
    spec: {
      nodeName,
      priorityClassName: 'system-node-critical',
      restartPolicy: 'Never',
      // Also if the test is killed.
      activeDeadlineSeconds: FILL_TIMEOUT_SEC,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'hog', image: nodeImage(options), command: ['node', '--eval', GROW] }],
    },
  };
}

/** A kubelet evicts pods; before that, processes wait for memory and the kernel kills some. */
async function untilHarmed({ kubectl, report, signal }: TestRun): Promise<void> {
  let harmed: Pod[] = [];
  const areHarmed = async () => {
    const phase = await kubectl.run('get', 'pod', HOG, '--output=jsonpath={.status.phase}');
    if (phase === 'Failed') throw new Error('the pod that takes the memory was killed before others were harmed');
    harmed = (await kubectl.pods(PLATFORM_PODS)).filter((pod) => !isReady(pod));
    return harmed.length >= HARMED;
  };
  await until(`${HARMED} pods are evicted or not ready`, areHarmed, {
    ...{ timeoutMs: FILL_TIMEOUT_SEC * 1000, everyMs: 1000, signal },
  });
  for (const { metadata, status } of harmed)
    report.ready('node memory', `${metadata.name}: ${status.message ?? 'not ready'}`);
}

function untilNoPressure({ kubectl, signal }: TestRun): Promise<void> {
  const query = '--output=jsonpath={.items[*].status.conditions[?(@.type=="MemoryPressure")].status}';
  const isOver = async () => !(await kubectl.run('get', 'nodes', query)).includes('True');
  return until('no node reports memory pressure', isOver, { timeoutMs: PRESSURE_TIMEOUT_MS, everyMs: 1000, signal });
}
