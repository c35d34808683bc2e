import { TAGS } from '../context.js';
import { underLoad } from '../load/load.js';
import type { TestRun } from '../test-run.js';

/** Upgrades two replicas of each service under load. No request may fail, no acknowledged write may be lost. */
export const upgrade = (run: TestRun): Promise<void> =>
  underLoad(run, { what: 'upgrade', mayFail: false }, async () => {
    const values = await run.values('second.json', { tag: TAGS.second, replicas: 2 });
    const took = await run.helm.apply('upgrade', [values]);
    run.report.ready('upgrade', `took ${took.toFixed(1)} s`);
  });
