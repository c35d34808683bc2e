import type { ScriptError } from './script-error.js';

export interface Script {
  /** JavaScript that defines a function. */
  text: string;
  /** The name of that function. */
  functionName: string;
}

/** The value that a script returned for one input, as parsed JSON, or why there is none. */
export type ScriptOutcome = { value: unknown } | { error: ScriptError };
