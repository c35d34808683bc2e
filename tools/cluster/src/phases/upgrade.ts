import { TAGS } from '../context.js';
import { underLoad } from '../load/load.js';
import type { Surroundings } from '../surroundings.js';

/** A rolling upgrade with two replicas of each service under load: no request may fail, nothing may be lost. */
export const upgrade = (around: Surroundings): Promise<void> =>
  underLoad(around, { what: 'upgrade', mayFail: false }, async () => {
    const values = await around.values('second.json', { tag: TAGS.second, replicas: 2 });
    const took = await around.helm.apply('upgrade', [values]);
    around.report.ready('upgrade', `took ${took.toFixed(1)} s`);
  });
