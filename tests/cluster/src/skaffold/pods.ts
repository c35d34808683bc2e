import { until } from '@dtplatform/stack';
import { isReady, restartsOf, type Pod } from '../tools/kubectl.js';
import type { SkaffoldRun } from './prepare.js';

const TIMEOUT_MS = 600_000;
const NAME = 'app.kubernetes.io/name';

/** All pods except those of migrations, which run once. */
const podsOf = ({ kubectl }: SkaffoldRun): Promise<Pod[]> => kubectl.pods('app.kubernetes.io/component!=migration');

/** Waits until every pod is ready and none is terminating. */
export async function settledPods(run: SkaffoldRun): Promise<Pod[]> {
  let pods: Pod[] = [];
  const isSettled = async () => (pods = await podsOf(run)).length > 0 && pods.every(isReady);
  await until('all pods are ready', isSettled, { timeoutMs: TIMEOUT_MS, everyMs: 1000, signal: run.signal });
  return pods;
}

/** The services whose pods were replaced between `before` and `after`. Rejects if a container has restarted. */
function replaced(before: Pod[], after: Pod[]): string[] {
  const old = new Map(before.map((pod) => [pod.metadata.name, restartsOf(pod)]));
  const restarted = after.find((pod) => restartsOf(pod) > (old.get(pod.metadata.name) ?? 0));
  if (restarted) throw new Error(`a container of ${restarted.metadata.name} has restarted`);
  const fresh = after.filter(({ metadata }) => !old.has(metadata.name));
  return [...new Set(fresh.map(({ metadata }) => metadata.labels[NAME] ?? metadata.name))].sort();
}

/** Throws unless exactly these services have other pods. */
export function expectReplaced(services: readonly string[], before: Pod[], after: Pod[]): void {
  const found = replaced(before, after).join(', ');
  if (found !== services.join(', '))
    throw new Error(`pods of ${found || 'no service'} were replaced: expected ${services.join(', ') || 'none'}`);
}
