import { setTimeout as sleep } from 'node:timers/promises';
import type { BackendName } from '@dtplatform/stack';
import { nothing, type Platform, type Undo } from './platform.js';

/** Lasts until its `Undo` has resolved. */
export interface Fault {
  name: string;
  lastsMs: number;
  inject: (platform: Platform) => Promise<Undo>;
}

const DOWN_MS = 3_000;
/** Longer than services wait for a connection or a Redis command, so that requests both fail and hang. */
const FROZEN_MS = 8_000;
const EMPTYINGS = 10;
const BETWEEN_EMPTYINGS_MS = 300;

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
  { name: 'redis-emptied', lastsMs: 0, inject: emptyRepeatedly },
  { name: 'mongodb-stepped-down', lastsMs: 0, inject: (platform) => platform.stepDown() },
  { name: 'workers-killed', lastsMs: DOWN_MS, inject: (platform) => platform.killWorkers() },
  { name: 'all-frozen', lastsMs: FROZEN_MS, inject: (platform) => allOf(Object.values(BACKENDS).map(platform.freeze)) },
  { name: 'all-killed', lastsMs: DOWN_MS, inject: killAll },
];

/** Messages stay in Redis only briefly: emptying it once would lose few of them. */
async function emptyRepeatedly(platform: Platform): Promise<Undo> {
  for (let n = 0; n < EMPTYINGS; n += 1) {
    await platform.empty();
    await sleep(BETWEEN_EMPTYINGS_MS);
  }
  return nothing;
}

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
