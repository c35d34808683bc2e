import type { Report } from '../report.js';

export type BackendName = 'mongo' | 'redis' | 's3';

export interface S3Connection {
  endpoint: string;
  region: string;
  accessKey: string;
  secretKey: string;
}

/** The three backends, whether started here or found in the environment. */
export interface Backends {
  /** The primary of a replica set, so that transactions work. */
  mongoUrl: string;
  redisUrl: string;
  s3: S3Connection;
  /** Where each comes from, for the terminal. */
  sources: Record<BackendName, string>;
  /**
   * Simulates an outage of one backend that was started here: `stop` lets it end in order, `kill` does not. The function it
   * returns restarts it on its port and data.
   */
  interrupt(name: BackendName, how?: 'stop' | 'kill'): Promise<() => Promise<void>>;
  /** Suspends one backend that was started here; the function it returns lets it continue. */
  freeze(name: BackendName): Promise<() => Promise<void>>;
  /** Stops every process that was started; backends from the environment keep running. */
  stop: () => Promise<void>;
}

export interface StartBackendsOptions {
  /** Data, logs and ports; an existing folder is reused. */
  dataDir: string;
  report: Report;
  /** Where packages are kept for all clones; `dtplatform/backends` in the user's cache folder by default. */
  cacheDir?: string;
  env?: NodeJS.ProcessEnv;
  /** Aborting it stops everything that was started; `startBackends` then rejects with its reason. */
  signal?: AbortSignal;
}

/** What is needed to acquire a backend's program. */
export interface SourceContext {
  report: Report;
  cacheDir: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

/** What the start of one backend can use. */
export interface StartContext extends SourceContext {
  dataDir: string;
}
