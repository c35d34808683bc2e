import { killAll } from '../processes/tether.js';

const PARENT_CHECK_MS = 1_000;

export class Interrupted extends Error {}

/**
 * Aborted by Ctrl-C, SIGTERM, the terminal closing, or the exit of the npm process that started us. A second Ctrl-C
 * stops everything immediately.
 */
export function onInterrupt(tell: (text: string) => void): AbortSignal {
  const interrupted = new AbortController();
  const interrupt = (why: string) => {
    if (interrupted.signal.aborted) {
      killAll();
      process.exit(130);
    }
    tell(`${why}: stopping (once more ends everything at once)`);
    interrupted.abort(new Interrupted(why));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupt(signal));
  // npm forwards signals to its shell only, which then dies and leaves us running.
  if (process.env.npm_lifecycle_event !== undefined) {
    const parent = process.ppid;
    const check = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(check);
      if (!interrupted.signal.aborted) interrupt('npm has ended');
    }, PARENT_CHECK_MS);
    check.unref();
  }
  return interrupted.signal;
}
