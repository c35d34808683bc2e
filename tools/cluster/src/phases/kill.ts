import { setTimeout as sleep } from 'node:timers/promises';
import { startKilling } from '../kill-pods.js';
import { underLoad } from '../load/load.js';
import type { Surroundings } from '../surroundings.js';

const DURATION_MS = 90_000;

/** Pods die without warning under load: requests may fail then, but nothing that was acknowledged is lost. */
export const kill = (around: Surroundings): Promise<void> =>
  underLoad(around, { what: 'kill', mayFail: true }, async () => {
    const killing = startKilling(around, { everyMs: 5_000, how: 'crash' });
    await sleep(DURATION_MS);
    around.report.ready('kill', `${await killing.stop()} processes crashed`);
  });
