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
/** Those whose counts do not depend on how many callers happen to share a commit. */
const COUNTED = ['item-version', 'related-item', 'file-by-form'];

let stateDir: string;
let stack: Stack;
let meter: Meter;
let place: Place;
let idle: Idle;

/** Nobody else may use the platform meanwhile. */
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
  '%s takes no more commands and requests than before',
  async (name) => {
    const operation = OPERATIONS.find((one) => one.name === name)!;
    const counted = await countOperation({ ...operation, callers: [16] }, { place, meter, idle });
    expect(risenCounts(counted, await readReference())).toEqual([]);
  },
  2 * MINUTES,
);
