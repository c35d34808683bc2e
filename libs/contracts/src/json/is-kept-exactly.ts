/**
 * Whether a number of JSON is kept: it does not overflow and, written as an integer, is one that a double holds, or the one
 * that programs write for a double (1152921504606847000 for 2^60). Fractions are approximate for everybody.
 */
export function isKeptExactly(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  if (Number.isSafeInteger(value) || !/^-?\d+$/.test(literal)) return true;
  return String(value) === literal || BigInt(literal) === BigInt(value);
}
