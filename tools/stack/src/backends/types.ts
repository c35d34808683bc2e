import type { Report } from '../report.js';

export type BackendName = 'mongo' | 'redis' | 's3';

export interface S3Connection {
  endpoint: string;
  region: string;
  accessKey: string;
  secretKey: string;
}

export interface Backends {
  /** URL of the primary of a replica set: transactions need one. */
  mongoUrl: string;
  redisUrl: string;
  s3: S3Connection;
  /**
   * Simulates an outage of a backend that was started here; `stop` is orderly, `kill` is not. The returned function
   * restarts it on its port and data.
   */
  interrupt(name: BackendName, how?: 'stop' | 'kill'): Promise<() => Promise<void>>;
  /** Suspends a backend that was started here. The returned function resumes it. */
  freeze(name: BackendName): Promise<() => Promise<void>>;
  /** Stops every started process; backends from the environment keep running. */
  stop: () => Promise<void>;
}

export interface StartBackendsOptions {
  /** Data, logs and ports; an existing folder is reused. */
  dataDir: string;
  report: Report;
  env?: NodeJS.ProcessEnv;
  /** Aborting it stops everything that was started; `startBackends` then rejects with its reason. */
  signal?: AbortSignal;
}

export interface SourceContext {
  report: Report;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

export interface StartContext extends SourceContext {
  dataDir: string;
}
