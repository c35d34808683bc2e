import type { Logger } from '@dtplatform/logging';

/** Ends what a process began, in the reverse order. */
export interface Lifecycle {
  /** True from the moment a stop was asked for; `/readyz` fails from then on. */
  readonly stopping: boolean;
  /** Registers what is to be ended. Later entries are ended first; one that comes after the stop is ended at once. */
  onStop(name: string, stop: () => unknown): void;
  /** Ends everything once; further calls wait for the same end. */
  stop(reason: string): Promise<void>;
}

interface Step {
  name: string;
  stop: () => unknown;
}

/** @param graceMs how long the whole stop may take; what still runs then is left to the end of the process */
export function createLifecycle({ log, graceMs }: { log: Logger; graceMs: number }): Lifecycle {
  const steps: Step[] = [];
  let state: 'running' | 'stopping' | 'stopped' = 'running';
  let stopped: Promise<void> | undefined;

  const end = ({ name, stop }: Step, timeoutMs: number) =>
    within(timeoutMs, stop).catch((error: unknown) =>
      log.error({ err: error, step: name }, 'a step of the stop failed'),
    );

  async function stopAll(reason: string): Promise<void> {
    log.info({ reason }, 'stopping');
    const deadline = Date.now() + graceMs;
    for (let step = steps.pop(); step; step = steps.pop()) await end(step, deadline - Date.now());
    state = 'stopped';
    log.info('stopped');
  }

  return {
    get stopping() {
      return state !== 'running';
    },
    onStop(name, stop) {
      if (state === 'stopped') void end({ name, stop }, graceMs);
      else steps.push({ name, stop });
    },
    stop(reason) {
      if (state === 'running') state = 'stopping';
      return (stopped ??= stopAll(reason));
    },
  };
}

async function within(timeoutMs: number, task: () => unknown): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it took too long')), Math.max(timeoutMs, 0));
  });
  try {
    await Promise.race([task(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
