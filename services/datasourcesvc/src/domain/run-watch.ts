import type { Cancellations, RunStore } from './ports.js';
import type { Run } from './run.js';

const HEARTBEAT_MS = 5_000;

/** `lost`: cancelled or taken over by another process, which has written the run's state; `shutdown`: this process ends. */
export type StopReason = 'lost' | 'timeout' | 'shutdown';

/** Why a run does not go on. */
export class RunStopped extends Error {
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`the run stops: ${reason}`);
    this.name = 'RunStopped';
    this.reason = reason;
  }
}

/** Watches over a run while this process works on it. */
export interface RunWatch {
  /** Aborted with a `RunStopped`. */
  signal: AbortSignal;
  /** Begins to show signs of life and to keep the time. */
  start(run: Run): void;
  close(): void;
}

/** Open it before the run is claimed, so that no cancellation falls between. */
export function watchRun(
  runId: string,
  { store, cancellations, shutdown }: { store: RunStore; cancellations: Cancellations; shutdown?: AbortSignal },
): RunWatch {
  const abort = new AbortController();
  const stop = (reason: StopReason) => abort.abort(new RunStopped(reason));
  const onShutdown = () => stop('shutdown');
  let timeout: NodeJS.Timeout | undefined;
  let heartbeat: NodeJS.Timeout | undefined;

  const forget = cancellations.onCancelled(runId, () => stop('lost'));
  shutdown?.addEventListener('abort', onShutdown);
  if (shutdown?.aborted) onShutdown();

  async function beat(run: Run) {
    try {
      if (!(await store.heartbeat(run))) stop('lost');
    } catch {
      // The database is away; the next write or sign of life tells more.
    }
  }

  return {
    signal: abort.signal,
    start(run) {
      const { startedAt = Date.now(), timeoutMs } = run._work;
      timeout = setTimeout(() => stop('timeout'), startedAt + timeoutMs - Date.now());
      heartbeat = setInterval(() => void beat(run), HEARTBEAT_MS);
    },
    close() {
      forget();
      shutdown?.removeEventListener('abort', onShutdown);
      clearTimeout(timeout);
      clearInterval(heartbeat);
    },
  };
}

/** Settles as the work does, or rejects with the signal's reason as soon as that is aborted. */
export async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const settled = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { signal: settled.signal });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    settled.abort();
  }
}
