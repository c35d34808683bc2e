import { until } from '@dtplatform/stack';
import { PLATFORM_PODS } from '../context.js';
import type { Surroundings } from '../surroundings.js';
import { isReady, restartsOf } from '../tools/kubectl.js';

const TIMEOUT_MS = 180_000;

/** Without MongoDB no pod is ready and none restarts; when it is back, all are ready again by themselves. */
export async function outage({ kubectl, signal, report }: Surroundings): Promise<void> {
  const pods = () => kubectl.pods(PLATFORM_PODS);
  const first = await pods();
  if (first.length === 0) throw new Error('there are no pods of the platform');
  const before = first.reduce((sum, pod) => sum + restartsOf(pod), 0);

  await kubectl.run('scale', 'statefulset/mongodb', '--replicas=0');
  const noneIsReady = async () => !(await pods()).some(isReady);
  await until('every pod notices that MongoDB is away', noneIsReady, { timeoutMs: TIMEOUT_MS, everyMs: 1000, signal });
  await kubectl.run('scale', 'statefulset/mongodb', '--replicas=1');
  const allAreReady = async () => (await pods()).every(isReady);
  await until('every pod is ready again', allAreReady, { timeoutMs: TIMEOUT_MS, everyMs: 1000, signal });

  const restarts = (await pods()).reduce((sum, pod) => sum + restartsOf(pod), 0) - before;
  if (restarts > 0) throw new Error(`${restarts} containers were restarted while MongoDB was away`);
  report.ready('outage', 'no pod was ready without MongoDB, all are again, no container was restarted');
}
