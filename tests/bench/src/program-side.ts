import { runProgram } from './child.js';
import type { Round, Side } from './measure.js';
import { observed } from './usage.js';

/** Until the code is compiled: a request that passes many layers needs longer than one that passes few. */
export const WARM_UP_SECONDS = 8;

interface Runs {
  seconds: number;
  warmUpSeconds?: number;
  /** The process that does the work; without it, the program reports its own usage, or none. */
  pid?: number | undefined;
}

/** A side whose load comes from a program, which runs in a separate process. */
export function programSide<Argument extends { seconds: number }>(
  program: string,
  argument: Omit<Argument, 'seconds'>,
  { seconds, warmUpSeconds = WARM_UP_SECONDS, pid }: Runs,
): Side {
  const run = (duration: number): Promise<Round> => {
    const work = () => runProgram<Round>(program, { ...argument, seconds: duration });
    return pid === undefined ? work() : observed(pid, work);
  };
  return { run: () => run(seconds), warmUp: () => run(warmUpSeconds) };
}
