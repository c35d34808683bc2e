import pTimeout from 'p-timeout';
import type { Logger } from '@dtplatform/logging';

/** Shuts a process down. Parts stop in the reverse order of their start. */
export interface Lifecycle {
  /** True once `stop` was called; `/readyz` fails from then on. */
  readonly stopping: boolean;
  /** Registers a shutdown step. Steps run in reverse order; a step registered after the shutdown runs at once. */
  onStop(name: string, stop: () => unknown): void;
  /** Runs all steps. Further calls wait for the same shutdown. */
  stop(reason: string): Promise<void>;
}

interface Step {
  name: string;
  stop: () => unknown;
}

/** @param graceMs time limit of the whole shutdown; steps that are still running are then abandoned */
export function createLifecycle({ log, graceMs }: { log: Logger; graceMs: number }): Lifecycle {
  const steps: Step[] = [];
  let state: 'running' | 'stopping' | 'stopped' = 'running';
  let stopped: Promise<void> | undefined;

  async function end({ name, stop }: Step, timeoutMs: number): Promise<void> {
    try {
      await pTimeout((async () => stop())(), { milliseconds: Math.max(timeoutMs, 1) });
    } catch (error) {
      log.error({ err: error, step: name }, 'shutdown step failed');
    }
  }

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
