import { readFileSync } from 'node:fs';
import { closedLoop } from '../counts/closed-loop.js';
import type { Round } from '../measure.js';

/** The argument of the program, as JSON on its standard input: a command line would be too short for some. */
export const argument = <T>(): T => JSON.parse(readFileSync(0, 'utf8')) as T;

/** Repeats the work for so many seconds, by several callers. */
export async function repeat(callers: number, seconds: number, work: () => Promise<void>): Promise<Round> {
  const { perSecond, requests } = await closedLoop(work, { callers, seconds });
  return { perSecond, done: requests };
}

/** Prints the result and ends the program, also while it has keep-alive connections. */
export function finish(round: Round): void {
  console.log(JSON.stringify(round));
  process.exit(0);
}
