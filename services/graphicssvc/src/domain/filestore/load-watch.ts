import type { LoadStore } from '../ports.js';
import type { Load } from './load.js';

const HEARTBEAT_MS = 5_000;

/** Another process has taken the load over and writes its state. */
export class LoadLost extends Error {
  override readonly name = 'LoadLost';
}

/** Sends the heartbeat of a load while this process works on it. */
export interface LoadWatch {
  /** Aborted with a `LoadLost`, or when this process shuts down. */
  signal: AbortSignal;
  close(): void;
}

export function watchLoad(load: Load, store: LoadStore, shutdown: AbortSignal): LoadWatch {
  const lost = new AbortController();
  const beat = async () => {
    try {
      if (!(await store.heartbeat(load))) lost.abort(new LoadLost());
    } catch {
      // The database is unavailable; the next write or heartbeat finds out whether the claim still holds.
    }
  };
  const heartbeat = setInterval(() => void beat(), HEARTBEAT_MS);
  return { signal: AbortSignal.any([shutdown, lost.signal]), close: () => clearInterval(heartbeat) };
}
