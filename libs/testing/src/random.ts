import { randomInt } from 'node:crypto';

/** The seed of a property test: `TEST_SEED` or random. Put it into the name of the test. */
export const testSeed = (): number => Number(process.env.TEST_SEED ?? randomInt(2 ** 31));

/** Integers from 0 to below a bound, determined by the seed (mulberry32). */
export function seededNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
