/** What a script may take: for each input, and for all inputs of a run together. */
export interface ScriptLimits {
  timeoutMs: number;
  /** Of the script and its values. */
  memoryBytes: number;
  stackBytes: number;
  /** Of the JSON that it returns for one input, in characters. */
  outputChars: number;
  /** The values in it: as text, one takes two bytes, parsed sixty. */
  outputValues: number;
  /** A run ends after the input with which its outputs have this many characters together. */
  runOutputChars: number;
  /** A run ends after the input with which it has taken this long. */
  runMs: number;
  /** A run ends once so many inputs have timed out. */
  runTimeouts: number;
}

const MIB = 1024 ** 2;

export const DEFAULT_LIMITS: ScriptLimits = {
  timeoutMs: 1_000,
  memoryBytes: 32 * MIB,
  stackBytes: 256 * 1024,
  outputChars: MIB,
  outputValues: 100_000,
  runOutputChars: 4 * MIB,
  runMs: 30_000,
  runTimeouts: 3,
};
