import { TAGS } from './context.js';
import { writeJson, type TestRun } from './test-run.js';
import { RELEASE } from './tools/helm.js';

interface Changes {
  /** Values of charts/platform, in addition to those of every phase. */
  values?: object;
  replicas?: number;
  tag?: string;
  /** Further arguments of Helm. */
  args?: string[];
}

/**
 * Installs or upgrades the platform, by default in its first version with two replicas of each service. Resolves with
 * the seconds until all pods are ready.
 */
export async function deploy(
  run: TestRun,
  verb: 'install' | 'upgrade',
  { values = {}, replicas = 2, tag = TAGS.first, args = [] }: Changes = {},
): Promise<number> {
  const base = await writeJson(run, 'values', run.values({ tag, replicas }));
  return run.helm.apply(verb, RELEASE, [base, await writeJson(run, 'changes', values)], ...args);
}

export const upgradeWith = (run: TestRun, changes?: Changes): Promise<number> => deploy(run, 'upgrade', changes);
