import { setTimeout as sleep } from 'node:timers/promises';
import type { Action } from './actions.js';

/** Four callers that pause between actions keep the platform busy, not overloaded. */
const STEADY: Pace = { callers: 4, pauseMs: 25 };

export interface Pace {
  callers: number;
  /** Between two actions of a caller. */
  pauseMs: number;
}

/** Runs the callers until the work has settled. They also stop when it fails: they would keep the process alive. */
export async function callDuring(
  actions: Action[],
  signal: AbortSignal,
  work: () => Promise<void>,
  { callers, pauseMs }: Pace = STEADY,
) {
  const failures: string[] = [];
  let requests = 0;
  let ended = false;

  const act = async (index: number) => {
    const [name, use] = actions[index % actions.length]!;
    requests += 1;
    await use().catch((error: unknown) =>
      failures.push(`${new Date().toISOString()} ${name}: ${(error as Error).message}`),
    );
  };
  const caller = async (first: number) => {
    for (let index = first; !ended && !signal.aborted; index += 1) {
      await act(index);
      await sleep(pauseMs);
    }
  };
  const calling = Array.from({ length: callers }, (_, index) => caller(index * 2));
  await work().finally(() => {
    ended = true;
    return Promise.all(calling);
  });
  return { requests, failures };
}
