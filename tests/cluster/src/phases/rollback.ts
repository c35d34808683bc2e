import { underLoad } from '../load/load.js';
import type { TestRun } from '../test-run.js';
import { RELEASE, seconds } from '../tools/helm.js';

/** Rolls back to the previous version under load. No request may fail, no acknowledged write may be lost. */
export const rollback = (run: TestRun): Promise<void> =>
  underLoad(run, { what: 'rollback', mayFail: false }, async () => {
    const took = await seconds(() => run.helm.run('rollback', RELEASE, '--wait', '--timeout', '10m'));
    run.report.ready('rollback', `took ${took.toFixed(1)} s`);
  });
