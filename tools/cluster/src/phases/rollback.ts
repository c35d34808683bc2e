import { underLoad } from '../load/load.js';
import type { Surroundings } from '../surroundings.js';
import { RELEASE, seconds } from '../tools/helm.js';

/** The way back to the version before, under load too. */
export const rollback = (around: Surroundings): Promise<void> =>
  underLoad(around, { what: 'rollback', mayFail: false }, async () => {
    const took = await seconds(() => around.helm.run('rollback', RELEASE, '--wait', '--timeout', '10m'));
    around.report.ready('rollback', `took ${took.toFixed(1)} s`);
  });
