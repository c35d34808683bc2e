import { z } from 'zod';
import { SHOW_VALUE } from '@dtplatform/sandbox';
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

/** What a script writes to it never ends the script, whatever it is. */
const CONSOLE = `var __show = ${SHOW_VALUE}; var __lines = []; globalThis.console = (() => {
  const log = (...parts) => {
    try {
      if (__lines.length >= ${MAX_LINES}) return;
      let text = '';
      for (let n = 0; n < parts.length && text.length < ${2 * MAX_LINE}; n++)
        text += (n > 0 ? ' ' : '') + __show(parts[n], ${MAX_LINE});
      __lines[__lines.length] = __show(text, ${MAX_LINE});
    } catch {}
  };
  const none = () => undefined;
  const assert = (isTrue, ...parts) => {
    try { if (!isTrue) log('Assertion failed', ...parts); } catch {}
  };
  return {
    log, debug: log, info: log, warn: log, error: log, trace: log, dir: log, dirxml: log, table: log, group: log,
    groupCollapsed: log, assert, groupEnd: none, clear: none, count: none, countReset: none, time: none, timeLog: none,
    timeEnd: none,
  };
})();`.replaceAll(/\n\s*/g, ' ');

const callOf = (functionName: string) => `
async function __runStep(input) {
  const call = typeof ${functionName} === 'function' ? ${functionName} : undefined;
  if (!call) return { error: 'The script defines no function ${functionName}.', lines: __lines };
  try {
    return { value: await call(input), lines: __lines };
  } catch (error) {
    return { error: __show(error, ${MAX_ERROR}), lines: __lines };
  }
}`;
