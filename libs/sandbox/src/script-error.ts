/** Why a script returned no value. */
export type ScriptErrorCode =
  /** It is not JavaScript. */
  | 'SYNTAX'
  /** It does not define the function. */
  | 'NO_FUNCTION'
  /** It threw, or its promise was rejected or stays pending. */
  | 'THROWN'
  | 'TIMED_OUT'
  | 'OUT_OF_MEMORY'
  | 'STACK_OVERFLOW'
  /** What it returned cannot be written as JSON. */
  | 'NOT_JSON'
  | 'OUTPUT_TOO_LARGE'
  /** What it returned is JSON that the platform rejects. */
  | 'NOT_STORABLE';

/** The script's fault: running it again gives the same result. */
export class ScriptError extends Error {
  readonly code: ScriptErrorCode;

  /** @param message at most 1000 characters; part of it may come from the script */
  constructor(code: ScriptErrorCode, message: string) {
    super(message);
    this.name = 'ScriptError';
    this.code = code;
  }
}
