import { repoRoot } from '@dtplatform/stack';
import { runTool } from '../tools/run-tool.js';
import { startKilling } from '../pods/kill-pods.js';
import { upgradeWith } from '../deploy.js';
import type { TestRun } from '../test-run.js';

/**
 * Runs the end-to-end tests against three replicas of each service, with requests spread at random, while pods are
 * deleted one by one. Excludes tests that start their own local stack.
 */
export async function endToEnd(run: TestRun): Promise<void> {
  const { stateDir, env, signal, report } = run;
  await upgradeWith(run, { replicas: 3 });
  const killing = startKilling(run, { everyMs: 5_000, how: 'delete' });
  try {
    await runTool('npm', ['run', '--silent', 'test:e2e'], {
      ...{ cwd: repoRoot, signal, onLine: console.log },
      env: { ...env, E2E_STATE_DIR: stateDir },
    });
  } catch (error) {
    // An error of the tests takes precedence.
    await killing.stop().catch(() => undefined);
    throw error;
  }
  report.ready('e2e', `${await killing.stop()} pods were deleted meanwhile`);
}
