import { setTimeout as sleep } from 'node:timers/promises';
import { closedLoop } from './closed-loop.js';
import { type Cost, costOf, type Idle, idleBetween } from './cost.js';
import type { Meter } from './meter.js';
import type { Operation, Place, Work } from './operations/operation.js';

const CALLERS = [1, 16];
/** Enough calls that a sweep of a service during a round hardly matters. */
const CALLS = 96;
/** The result is the median. */
const ROUNDS = 3;

/** The cost of a call at a number of concurrent callers. */
export type Counted = Pick<Cost, 'operation' | 'cpuMs' | 'counts'> & { service: string; callers: number };

/** The platform's usage per second without calls. */
export async function countIdle(meter: Meter, seconds: number): Promise<Idle> {
  await meter.drained();
  const before = await meter.snapshot();
  await sleep(seconds * 1000);
  return idleBetween(before, await meter.snapshot());
}

/**
 * Counts the cost of an operation with one caller and with 16 concurrent ones, including the work of workers
 * afterwards.
 * @param rounds default 3
 */
export async function countOperation(
  operation: Operation,
  { place, meter, idle, rounds = ROUNDS }: { place: Place; meter: Meter; idle: Idle; rounds?: number },
): Promise<Counted[]> {
  const { name, service, callers: atOnce = CALLERS } = operation;
  const { calls = CALLS } = operation;
  const work = inOrder(await operation.prepare(place, calls * (1 + rounds * atOnce.length)));
  await closedLoop(work, { callers: atOnce.at(-1)!, calls });
  const counted: Counted[] = [];
  for (const callers of atOnce) {
    const costs: Cost[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await meter.drained();
      const before = await meter.snapshot();
      const speed = await closedLoop(work, { callers, calls });
      await meter.drained();
      costs.push(costOf(name, speed, before, await meter.snapshot(), idle));
    }
    counted.push({ operation: name, service, callers, ...medianOf(costs) });
  }
  return counted;
}

/** Numbers the calls of all loops. */
function inOrder(work: Work): Work {
  let n = 0;
  return () => work(n++);
}

const medianOf = (costs: readonly Cost[]): Pick<Cost, 'cpuMs' | 'counts'> => ({
  cpuMs: medians(costs.map(({ cpuMs }) => cpuMs)),
  counts: medians(costs.map(({ counts }) => counts)),
});

const medians = (figures: readonly Record<string, number>[]): Record<string, number> =>
  Object.fromEntries(Object.keys(figures[0]!).map((name) => [name, median(figures.map((one) => one[name]!))]));

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
