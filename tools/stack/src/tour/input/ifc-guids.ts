const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$';

/**
 * Returns a new IfcGloballyUniqueId with each call: 128 bits as 22 digits of IFC's own base 64, the first of which has
 * two bits only (ISO 16739-1, IfcGloballyUniqueId). Deterministic.
 */
export function createIfcGuids(): () => string {
  const random = createRandom(1);
  return () => {
    const first = random();
    const groups = [random(), random(), random(), random(), random()];
    return groups.reduce((digits, group) => digits + inDigits(group, 4), inDigits(first & 0xff, 2));
  };
}

function inDigits(value: number, count: number): string {
  let digits = '';
  for (let place = count - 1; place >= 0; place -= 1) digits += DIGITS[(value >>> (6 * place)) & 63]!;
  return digits;
}

/** Pseudo-random 32-bit integers (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
