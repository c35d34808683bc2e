import { startLoad } from '../load/load.js';
import type { Surroundings } from '../surroundings.js';
import { RELEASE, seconds } from '../tools/helm.js';

/** The way back to the version before, under load too. */
export async function rollback(around: Surroundings): Promise<void> {
  const load = await startLoad(around);
  const took = await seconds(() => around.helm.run('rollback', RELEASE, '--wait', '--timeout', '10m'));
  await load.finish('rollback', { mayFail: false });
  around.report.ready('rollback', `took ${took.toFixed(1)} s`);
}
