import { untilAllReady, untilNoneReady, withoutRestarts } from '../pods/all-ready.js';
import type { TestRun } from '../test-run.js';

/** While MongoDB is unavailable, no pod is ready and none restarts. Once it is back, all pods recover. */
export async function outage(run: TestRun): Promise<void> {
  const scale = (replicas: number) => run.uninterrupted.run('scale', 'statefulset/mongodb', `--replicas=${replicas}`);
  await untilAllReady(run);
  await withoutRestarts(run, async () => {
    await scale(0);
    await untilNoneReady(run).finally(() => scale(1));
    await untilAllReady(run);
  });
  run.report.ready('outage', 'no pod was ready without MongoDB, all pods recovered, no container restarted');
}
