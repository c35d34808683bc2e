import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  countIdle,
  countOperation,
  createMeter,
  type Idle,
  type Meter,
  OPERATIONS,
  openWorkspace,
  type Place,
  readReference,
  risenCounts,
  startCountedStack,
} from '@dtplatform/bench/counts';
import { silentReport, type Stack } from '@dtplatform/stack';

const MINUTES = 60_000;
const IDLE_SECONDS = 10;
/** Writes that share commits when they are concurrent. */
const COUNTED = ['item-version', 'related-item', 'file-by-form'];

let stateDir: string;
let stack: Stack;
let meter: Meter;
let place: Place;
let idle: Idle;

/** Nobody else may use the platform during the count. */
beforeAll(async () => {
  stateDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-counts-'));
  stack = await startCountedStack(stateDir, silentReport);
  meter = await createMeter(stack, stateDir);
  place = await openWorkspace(stack.dev);
  idle = await countIdle(meter, IDLE_SECONDS);
}, 3 * MINUTES);
afterAll(async () => {
  await meter.close();
  await stack.stop();
  await rm(stateDir, { recursive: true, force: true });
}, MINUTES);

// `npm run bench -- --counts --write` writes the reference.
it.each(COUNTED)(
  '%s needs no more commands and requests than the reference',
  async (name) => {
    const operation = OPERATIONS.find((one) => one.name === name)!;
    const [alone, shared] = await countOperation({ ...operation, callers: [1, 16] }, { place, meter, idle });
    expect(risenCounts([alone!], await readReference())).toEqual([]);
    // How many share a commit depends on the speed of the machine.
    expect(shared!.counts.mongodb).toBeLessThan(alone!.counts.mongodb! / 2);
  },
  2 * MINUTES,
);
