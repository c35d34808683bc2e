import type { LoadStore } from './ports.js';
import type { Load } from './load.js';

const HEARTBEAT_MS = 5_000;

/** Another process has the load now, and writes its state. */
export class LoadLost extends Error {
  constructor() {
    super('the load was taken over');
    this.name = 'LoadLost';
  }
}

/** Shows signs of life of a load while this process works on it. */
export interface LoadWatch {
  /** Aborted when the process must end, or with a `LoadLost`. */
  signal: AbortSignal;
  close(): void;
}

export function watchLoad(load: Load, store: LoadStore, shutdown: AbortSignal): LoadWatch {
  const lost = new AbortController();
  const beat = async () => {
    try {
      if (!(await store.heartbeat(load))) lost.abort(new LoadLost());
    } catch {
      // The database is away; the next write or sign of life tells more.
    }
  };
  const timer = setInterval(() => void beat(), HEARTBEAT_MS);
  return { signal: AbortSignal.any([shutdown, lost.signal]), close: () => clearInterval(timer) };
}
