import type { BackendName } from '../backends/types.js';
import { nothing, type Platform, type Undo } from './platform.js';

/** Something that happens to the platform. It lasts until its `Undo` has resolved. */
export interface Fault {
  name: string;
  lastsMs: number;
  inject: (platform: Platform) => Promise<Undo>;
}

const DOWN_MS = 3_000;
/** Longer than clients wait for a connection or a command of Redis, so that requests fail as well as hang. */
const FROZEN_MS = 8_000;

const BACKENDS: Readonly<Record<string, BackendName>> = { mongodb: 'mongo', redis: 'redis', s3: 's3' };

const killed = ([title, name]: [string, BackendName]): Fault => ({
  name: `${title}-killed`,
  lastsMs: DOWN_MS,
  inject: (platform) => platform.kill(name),
});
const frozen = ([title, name]: [string, BackendName]): Fault => ({
  name: `${title}-frozen`,
  lastsMs: FROZEN_MS,
  inject: (platform) => platform.freeze(name),
});

export const FAULTS: readonly Fault[] = [
  ...Object.entries(BACKENDS).map(killed),
  ...Object.entries(BACKENDS).map(frozen),
  { name: 'redis-emptied', lastsMs: 0, inject: (platform) => platform.empty().then(() => nothing) },
  { name: 'mongodb-stepped-down', lastsMs: 0, inject: (platform) => platform.stepDown() },
  { name: 'workers-killed', lastsMs: DOWN_MS, inject: (platform) => platform.killWorkers() },
  { name: 'all-frozen', lastsMs: FROZEN_MS, inject: (platform) => allOf(Object.values(BACKENDS).map(platform.freeze)) },
  { name: 'all-killed', lastsMs: DOWN_MS, inject: killAll },
];

/** Backends and workers; Redis comes back without its data. */
async function killAll(platform: Platform): Promise<Undo> {
  const undo = await allOf([...Object.values(BACKENDS).map(platform.kill), platform.killWorkers()]);
  return async () => {
    await undo();
    await platform.empty();
  };
}

async function allOf(faults: Promise<Undo>[]): Promise<Undo> {
  const ends = await Promise.all(faults);
  return async () => void (await Promise.all(ends.map((end) => end())));
}
