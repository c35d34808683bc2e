import { parseJson } from '@dtplatform/contracts';
import type { JsonRefused } from '@dtplatform/contracts';

const MAX_RESULT_BYTES = 64 * 1024;
const MAX_RESULTS_OF_RUN_BYTES = 1024 * 1024;
/** The database takes 100 levels in a document. */
const MAX_DEPTH = 64;

/** The result of a step as JSON text, or why it was left out. */
export type StepResult = { text: string; note?: undefined } | { text?: undefined; note: string };

/**
 * The result of a completed step. One that is too large is left out: the work of the step is done, and failing it would invite
 * a retry that does it again.
 * @param otherBytes of the results of the steps before it
 */
export function resultOf(value: unknown, otherBytes: number): StepResult {
  let text: string;
  try {
    // Undefined and functions have no JSON.
    const json: unknown = JSON.stringify(value);
    text = typeof json === 'string' ? json : 'null';
  } catch {
    return { note: 'The result is no JSON value and was left out.' };
  }
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_RESULT_BYTES) return { note: 'The result is larger than 64 KiB and was left out.' };
  if (bytes + otherBytes > MAX_RESULTS_OF_RUN_BYTES) {
    return { note: 'The results of the run are larger than 1 MiB, so this one was left out.' };
  }
  if (depthOf(text) > MAX_DEPTH) {
    return { note: `The result is nested deeper than ${MAX_DEPTH} levels and was left out.` };
  }
  try {
    parseJson(text);
  } catch (error) {
    return { note: `The result was left out: it ${(error as JsonRefused).message}.` };
  }
  return { text };
}

/** The levels of arrays and objects in JSON text. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, ++depth);
    else if (token === ']' || token === '}') depth--;
  }
  return deepest;
}
