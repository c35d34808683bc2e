import { until } from '@dtplatform/stack';
import { PLATFORM_PODS } from '../context.js';
import type { TestRun } from '../test-run.js';
import { isReady, restartsOf } from '../tools/kubectl.js';

const TIMEOUT_MS = 180_000;

/** While MongoDB is unavailable, no pod is ready and none restarts. Once it is back, all pods recover. */
export async function outage({ kubectl, signal, report }: TestRun): Promise<void> {
  const pods = () => kubectl.pods(PLATFORM_PODS);
  const first = await pods();
  if (first.length === 0) throw new Error('the platform has no pods');
  const before = first.reduce((sum, pod) => sum + restartsOf(pod), 0);

  await kubectl.run('scale', 'statefulset/mongodb', '--replicas=0');
  const noneIsReady = async () => !(await pods()).some(isReady);
  await until('no pod is ready without MongoDB', noneIsReady, { timeoutMs: TIMEOUT_MS, everyMs: 1000, signal });
  await kubectl.run('scale', 'statefulset/mongodb', '--replicas=1');
  const allAreReady = async () => (await pods()).every(isReady);
  await until('every pod is ready again', allAreReady, { timeoutMs: TIMEOUT_MS, everyMs: 1000, signal });

  const restarts = (await pods()).reduce((sum, pod) => sum + restartsOf(pod), 0) - before;
  if (restarts > 0) throw new Error(`${restarts} containers restarted while MongoDB was unavailable`);
  report.ready('outage', 'no pod was ready without MongoDB, all pods recovered, no container restarted');
}
