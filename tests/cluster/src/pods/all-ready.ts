import { until } from '@dtplatform/stack';
import { PLATFORM_PODS } from '../context.js';
import type { TestRun } from '../test-run.js';
import { isReady, restartsOf, type Pod } from '../tools/kubectl.js';

const TIMEOUT_MS = 240_000;

/** Waits until every pod of the platform is ready and replaced pods, which respond while they drain, are gone. */
export const untilAllReady = (run: TestRun): Promise<void> =>
  untilPods(run, 'every pod is ready', (pods) => pods.length > 0 && pods.every(isReady));

export const untilNoneReady = (run: TestRun): Promise<void> =>
  untilPods(run, 'no pod is ready', (pods) => !pods.some(isReady));

const untilPods = ({ kubectl, signal }: TestRun, what: string, areSo: (pods: Pod[]) => boolean): Promise<void> =>
  until(what, async () => areSo(await kubectl.pods(PLATFORM_PODS)), {
    ...{ timeoutMs: TIMEOUT_MS, everyMs: 1000, signal },
  });

/** Rejects if a container of the platform restarts before that. */
export async function withoutRestarts({ kubectl }: TestRun, work: () => Promise<void>): Promise<void> {
  const restarts = async () => (await kubectl.pods(PLATFORM_PODS)).reduce((sum, pod) => sum + restartsOf(pod), 0);
  const before = await restarts();
  await work();
  const count = (await restarts()) - before;
  if (count > 0) throw new Error(`${count} containers restarted`);
}
