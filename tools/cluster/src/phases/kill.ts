import { startKilling } from '../kill-pods.js';
import { startLoad } from '../load/load.js';
import type { Surroundings } from '../surroundings.js';

const DURATION_MS = 90_000;

/** Pods die without warning under load: requests may fail then, but nothing that was acknowledged is lost. */
export async function kill(around: Surroundings): Promise<void> {
  const load = await startLoad(around);
  const killing = startKilling(around, { everyMs: 5_000, force: true });
  await load.goOn(DURATION_MS);
  const killed = await killing.stop();
  await load.finish('kill', { mayFail: true });
  around.report.ready('kill', `${killed} pods were killed`);
}
