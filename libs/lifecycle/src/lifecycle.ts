import type { Logger } from '@dtplatform/logging';

/** Ends what a process began, in the reverse order. */
export interface Lifecycle {
  /** True from the moment a stop was asked for; `/readyz` fails from then on. */
  readonly stopping: boolean;
  /** Registers what is to be ended. Later entries are ended first. */
  onStop(name: string, stop: () => unknown): void;
  /** Ends everything once; further calls wait for the same end. */
  stop(reason: string): Promise<void>;
}

/** @param graceMs how long the whole stop may take; what still runs then is left to the end of the process */
export function createLifecycle({ log, graceMs }: { log: Logger; graceMs: number }): Lifecycle {
  const steps: { name: string; stop: () => unknown }[] = [];
  let stopped: Promise<void> | undefined;

  async function stopAll(reason: string): Promise<void> {
    log.info({ reason }, 'stopping');
    const deadline = Date.now() + graceMs;
    for (const step of steps.reverse()) {
      await within(deadline - Date.now(), step.stop).catch((error: unknown) =>
        log.error({ err: error, step: step.name }, 'a step of the stop failed'),
      );
    }
    log.info('stopped');
  }

  return {
    get stopping() {
      return stopped !== undefined;
    },
    onStop: (name, stop) => void steps.push({ name, stop }),
    stop: (reason) => (stopped ??= stopAll(reason)),
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
