import { repoRoot } from '@dtplatform/stack';
import { runTool } from '../tools/run-tool.js';
import { startKilling } from '../kill-pods.js';
import { TAGS } from '../context.js';
import type { Surroundings } from '../surroundings.js';

/**
 * Three replicas of each service pass the end-to-end tests, spread at random, while pods are taken away one after the
 * other. Not part of it: the tests that break a stack of their own.
 */
export async function endToEnd(around: Surroundings): Promise<void> {
  const { helm, values, stateDir, env, signal, report } = around;
  await helm.apply('upgrade', [await values('three.json', { tag: TAGS.first, replicas: 3 })]);
  const killing = startKilling(around, { everyMs: 5_000, how: 'delete' });
  try {
    await runTool('npm', ['run', '--silent', 'test:e2e'], {
      ...{ cwd: repoRoot, signal, onLine: console.log },
      env: { ...env, E2E_STATE_DIR: stateDir },
    });
  } catch (error) {
    // What the tests say counts, not what the killing says.
    await killing.stop().catch(() => undefined);
    throw error;
  }
  report.ready('e2e', `${await killing.stop()} pods were taken away meanwhile`);
}
