import { createManyRuns } from '../load/many-runs.js';
import { createReader, READER, removeReader } from '../keda/redis-reader.js';
import { startsOfRuns } from '../keda/starts-of-runs.js';
import { untilAdded, untilRemoved, type Component } from '../pods/scaled-pods.js';
import type { TestRun } from '../test-run.js';
import { upgradeWith } from '../deploy.js';

const SCALED: Component = { service: 'datasourcesvc', component: 'worker' };
const OBJECT = 'scaledobject.keda.sh/datasourcesvc-worker';
const WORKSPACES = 6;
const LEAST = 1;
const MOST = 4;
/** One worker keeps up with it. */
const TRICKLE_MS = 3_000;

/**
 * Fills the queue of runs, which must add workers; then starts few runs, which must remove workers while they work.
 * Every run must complete and be started once.
 */
export async function keda(run: TestRun): Promise<void> {
  const { kubectl, dev, signal, report } = run;
  if (!(await kubectl.serves('scaledobjects.keda.sh')))
    return void run.skip('keda', 'the cluster has no KEDA (keda.sh)');
  await createReader(run);
  await upgradeWith(run, { values: scaledValues(run.options.namespace) });
  await kubectl.run('wait', OBJECT, '--for=condition=Ready', '--timeout=90s');
  await untilRemoved(run, SCALED, LEAST);

  const runs = await createManyRuns(dev, signal, WORKSPACES);
  const queued = await runs.fill();
  const up = await untilAdded(run, SCALED, MOST);
  report.ready('keda', `${queued} runs queued, ${MOST} workers ${up.toFixed(0)} s later`);
  let down = 0;
  const more = await runs.trickle(TRICKLE_MS, async () => (down = await untilRemoved(run, SCALED, LEAST)));
  report.ready('keda', `back to ${LEAST} worker after another ${down.toFixed(0)} s, with ${more} runs meanwhile`);
  await verifyRuns(run, await runs.verify());

  await upgradeWith(run);
  await removeReader(run);
}

async function verifyRuns(run: TestRun, ids: string[]): Promise<void> {
  const starts = await startsOfRuns(run);
  const wrong = ids.filter((id) => starts[id] !== 1);
  if (wrong.length > 0) throw new Error(`run ${wrong[0]} was started ${starts[wrong[0]!] ?? 0} times, not once`);
  run.report.ready('keda', `${ids.length} runs completed, each was started once`);
}

const scaledValues = (namespace: string) => ({
  datasourcesvc: {
    settings: { runsAtOnce: 2 },
    worker: {
      keda: {
        ...{ enabled: true, minReplicas: LEAST, maxReplicas: MOST, listLength: 10 },
        ...{ address: `redis.${namespace}.svc:6379`, authenticationRef: READER },
        behavior: { scaleDown: { stabilizationWindowSeconds: 15 } },
      },
    },
  },
  'dev-backends': {
    redis: { clients: [{ namespaceSelector: {}, podSelector: { matchLabels: { app: 'keda-operator' } } }] },
  },
});
