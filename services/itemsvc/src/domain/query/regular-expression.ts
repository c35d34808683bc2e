import { RE2JS } from 're2js';
import { errors } from '../../errors.js';
import { wrongOperand } from './json.js';

const MAX_LENGTH = 512;
const FLAGS = new Map([
  ['i', RE2JS.CASE_INSENSITIVE],
  ['m', RE2JS.MULTILINE],
  ['s', RE2JS.DOTALL],
]);

/**
 * Refuses patterns that could run away in a matcher that backtracks, as the database's does: what RE2 does not know (back
 * references, look-around), and repetitions of repetitions such as `(a+)+`. The time limit of the query bounds the rest.
 * @throws 400
 */
export function checkRegularExpression(pattern: string, options: string): void {
  if (!/^[ims]{0,3}$/.test(options)) throw wrongOperand('$options', 'a choice of i, m and s');
  if (pattern.length > MAX_LENGTH || pattern.includes('\0') || repeatsRepetition(pattern)) {
    throw errors.unsafeRegularExpression();
  }
  const flags = [...new Set(options)].reduce((sum, option) => sum | (FLAGS.get(option) ?? 0), 0);
  try {
    RE2JS.compile(pattern, flags);
  } catch (error) {
    throw errors.unsafeRegularExpression({ cause: error });
  }
}

const TOKEN =
  /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\w+:\]|[^\]\\])*\]|\((?:\?[^:)]*:?)?|\)|[*+]|\{\d+(?:,\d*)?\}|[\s\S]/g;
const REPETITION = /^(?:[*+]|\{(\d+)(?:(,)(\d*))?\})$/;
/** Counted repetitions multiply; more than this is as bad as no end. */
const MAX_TIMES = 1000;

/** Whether a group that holds an unbounded repetition is itself repeated without bound (or so often that it is the same). */
function repeatsRepetition(pattern: string): boolean {
  const groups = [1];
  let last = 1;
  for (const [token] of pattern.matchAll(TOKEN)) {
    const times = timesOf(token);
    if (token.startsWith('(')) {
      groups.push(1);
      last = 1;
    } else if (token === ')') {
      last = groups.length > 1 ? groups.pop()! : 1;
      raise(groups, last);
    } else if (times === undefined) {
      last = 1;
    } else {
      if (times > 1 && last > 1 && times * last > MAX_TIMES) return true;
      last *= times;
      raise(groups, last);
    }
  }
  return false;
}

/** How often a token repeats what is before it; undefined when it is no repetition. */
function timesOf(token: string): number | undefined {
  const match = REPETITION.exec(token);
  if (!match) return undefined;
  const [, atLeast, comma, atMost] = match;
  if (atLeast === undefined) return Infinity;
  if (comma === undefined) return Number(atLeast);
  return atMost ? Number(atMost) : Infinity;
}

function raise(groups: number[], times: number): void {
  groups[groups.length - 1] = Math.max(groups[groups.length - 1]!, times);
}
