/** Limits of a script: for each input, and for all inputs of a run together. */
export interface ScriptLimits {
  timeoutMs: number;
  /** Memory of the script and its values. */
  memoryBytes: number;
  stackBytes: number;
  /** Length of the JSON that it returns for one input, in characters. */
  outputChars: number;
  /** Number of values in it: a value takes at least two bytes as text and sixty once parsed. */
  outputValues: number;
  /** A run ends after the input whose output brings the total to this many characters. */
  runOutputChars: number;
  /** A run ends after the input during which it exceeds this time. */
  runMs: number;
  /** A run ends once this many inputs have timed out. */
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
