import { startLoad } from '../load/load.js';
import { TAGS } from '../context.js';
import type { Surroundings } from '../surroundings.js';

/** A rolling upgrade with two replicas of each service under load: no request may fail, nothing may be lost. */
export async function upgrade(around: Surroundings): Promise<void> {
  const load = await startLoad(around);
  const took = await around.helm.apply('upgrade', [
    await around.values('second.json', { tag: TAGS.second, replicas: 2 }),
  ]);
  await load.finish('upgrade', { mayFail: false });
  around.report.ready('upgrade', `took ${took.toFixed(1)} s`);
}
