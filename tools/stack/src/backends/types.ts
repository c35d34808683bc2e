import type { Report } from '../report.js';

export type BackendName = 'mongo' | 'redis' | 's3';

export interface S3Connection {
  endpoint: string;
  region: string;
  accessKey: string;
  secretKey: string;
}

/** The three backends, started or found. */
export interface Backends {
  /** A replica set's primary, so that transactions work. */
  mongoUrl: string;
  redisUrl: string;
  s3: S3Connection;
  /** Where each came from, in words for the terminal. */
  sources: Record<BackendName, string>;
  /** Ends one process that was begun, as an outage does; what it returns starts it again, on its port and data. */
  interrupt(name: BackendName): Promise<() => Promise<void>>;
  /** Ends every process that was begun; what was found in the environment stays. */
  stop: () => Promise<void>;
}

export interface StartBackendsOptions {
  /** Data, logs and ports; a folder that was used before is used again. */
  dataDir: string;
  report: Report;
  /** Where packages are kept for all clones; by default `dtplatform/backends` in the user's cache folder. */
  cacheDir?: string;
  env?: NodeJS.ProcessEnv;
  /** Aborting it ends all that was begun; `startBackends` then rejects with its reason. */
  signal?: AbortSignal;
}

/** What getting a backend's program needs. */
export interface SourceContext {
  report: Report;
  cacheDir: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

/** What the start of one backend has at hand. */
export interface StartContext extends SourceContext {
  dataDir: string;
}
