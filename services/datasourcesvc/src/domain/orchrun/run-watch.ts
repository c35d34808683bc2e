import type { Cancellations, RunStore } from './ports.js';
import type { Run } from './run.js';

const HEARTBEAT_MS = 5_000;

/** `lost`: the run was cancelled, or another process took it over; either has written the run's state. */
type StopReason = 'lost' | 'timeout';

/** Why this process must stop working on a run. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped';
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`the run must stop: ${reason}`);
    this.reason = reason;
  }
}

/** Watches a run while this process works on it. */
export interface RunWatch {
  /** Aborted with a `RunStopped`, or when this process shuts down. */
  signal: AbortSignal;
  /** Starts the heartbeat and the time limit. */
  start(run: Run): void;
  close(): void;
}

/** Watch a run before you claim it, so that no cancellation is missed in between. */
export function watchRun(
  runId: string,
  { store, cancellations, shutdown }: { store: RunStore; cancellations: Cancellations; shutdown?: AbortSignal },
): RunWatch {
  const stopped = new AbortController();
  const stop = (reason: StopReason) => stopped.abort(new RunStopped(reason));
  const unsubscribe = cancellations.onCancelled(runId, () => stop('lost'));
  let timeout: NodeJS.Timeout | undefined;
  let heartbeat: NodeJS.Timeout | undefined;

  async function beat(run: Run) {
    try {
      if (!(await store.heartbeat(run))) stop('lost');
    } catch {
      // The database is unavailable; the next write or heartbeat finds out whether the claim still holds.
    }
  }

  return {
    signal: shutdown ? AbortSignal.any([shutdown, stopped.signal]) : stopped.signal,
    start(run) {
      const { startedAt = Date.now(), timeoutMs } = run._work;
      timeout = setTimeout(() => stop('timeout'), startedAt + timeoutMs - Date.now());
      heartbeat = setInterval(() => void beat(run), HEARTBEAT_MS);
    },
    close() {
      unsubscribe();
      clearTimeout(timeout);
      clearInterval(heartbeat);
    },
  };
}
