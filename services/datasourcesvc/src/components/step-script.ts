import { z } from 'zod';
import type { Script } from '@dtplatform/sandbox';

export const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const MAX_LINES = 200;
const MAX_LINE = 500;
const MAX_ERROR = 1000;

/** What a step's script returns: its result, or why there is none, and what it has written to the console. */
export const StepScriptOutcome = z.object({
  value: z.unknown().optional(),
  error: z.string().max(MAX_ERROR).optional(),
  lines: z.array(z.string().max(MAX_LINE)).max(MAX_LINES),
});

/**
 * A script with a console around it. The sandbox has none, so that lines are part of what the script returns; those of a
 * script that reaches a limit are lost. It stays on the first line: the lines in error messages are those of the author.
 * @param functionName an identifier
 */
export const stepScript = (text: string, functionName: string): Script => ({
  text: `${CONSOLE} ${text}\n;${callOf(functionName)}`,
  functionName: '__runStep',
});

/** What cannot be stored is replaced in lines and errors: they are for people. */
const CONSOLE = `var __lines = [];
var __shown = (text, max) =>
  [...text.slice(0, 2 * max)].slice(0, max).join('').replace(/\\0|\\p{Surrogate}/gu, '\\ufffd');
globalThis.console = (() => {
  const text = (part) => typeof part === 'string' ? part : JSON.stringify(part) ?? String(part);
  const log = (...parts) => {
    if (__lines.length < ${MAX_LINES}) __lines.push(__shown(parts.map(text).join(' '), ${MAX_LINE}));
  };
  return { log, debug: log, info: log, warn: log, error: log };
})();`.replaceAll(/\n\s*/g, ' ');

const callOf = (functionName: string) => `
async function __runStep(input) {
  const call = typeof ${functionName} === 'function' ? ${functionName} : undefined;
  if (!call) return { error: 'The script defines no function ${functionName}.', lines: __lines };
  try {
    return { value: await call(input), lines: __lines };
  } catch (error) {
    return { error: __shown(error instanceof Error ? error.name + ': ' + error.message : String(error), ${MAX_ERROR}), lines: __lines };
  }
}`;
