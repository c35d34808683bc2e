import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { TAGS } from './context.js';
import type { TestRun } from './test-run.js';

export interface Upgrade {
  /** Name of the values file in the state folder. */
  name: string;
  /** Values of charts/platform, in addition to those of every phase. */
  values: object;
  replicas?: number;
  tag?: string;
  /** Further arguments of Helm. */
  args?: string[];
}

/**
 * Upgrades the platform with additional values, by default to its first version. Resolves with the seconds until all
 * pods are ready.
 */
export async function upgradeWith(
  run: TestRun,
  { name, values, replicas = 2, tag = TAGS.first, args = [] }: Upgrade,
): Promise<number> {
  const base = await run.values(`${tag === TAGS.first ? 'first' : 'second'}.json`, { tag, replicas });
  const more = path.join(run.stateDir, `${name}.json`);
  await writeFile(more, JSON.stringify(values, null, 2), { mode: 0o600 });
  return run.helm.apply('upgrade', [base, more], ...args);
}
