import { randomInt } from 'node:crypto';

/** The seed of a property test: `TEST_SEED`, or another one each time. Put it into the name of the test. */
export const testSeed = (): number => Number(process.env.TEST_SEED ?? randomInt(2 ** 31));

/** Whole numbers from 0 to below a bound, the same ones for the same seed (mulberry32). */
export function seededNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
