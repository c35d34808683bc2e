import { setTimeout as sleep } from 'node:timers/promises';
import { startKilling } from '../pods/kill-pods.js';
import { underLoad } from '../load/load.js';
import type { TestRun } from '../test-run.js';

const DURATION_MS = 90_000;

/** Crashes pods under load. Requests may fail, but no acknowledged write may be lost. */
export const kill = (run: TestRun): Promise<void> =>
  underLoad(run, { what: 'kill', mayFail: true }, async () => {
    const killing = startKilling(run, { everyMs: 5_000, how: 'crash' });
    await sleep(DURATION_MS);
    run.report.ready('kill', `${await killing.stop()} processes crashed`);
  });
