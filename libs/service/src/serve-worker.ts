import { setTimeout as delay } from 'node:timers/promises';
import { Registry } from 'prom-client';
import type { ReadinessChecks } from '@dtplatform/http';
import type { Database } from './database.js';
import { checksOf } from './jobs.js';
import type { Jobs } from './jobs.js';
import { measureJobRuns } from './measure-job-runs.js';
import { measureJobs } from './measure-jobs.js';
import { serveAdmin } from './serve.js';
import type { AdminOptions } from './serve.js';

const CHECK_EVERY_MS = 1_000;

export interface WorkerOptions extends AdminOptions {
  checks: Database['checks'];
  /** Starts the jobs and registers their shutdown. */
  startJobs: () => Promise<Jobs>;
}

/**
 * Runs a worker: opens its admin port and starts its jobs once the database has been migrated to this version. Before
 * that, they could write documents that a future unique index refuses.
 */
export async function serveWorker({ startJobs, ...options }: WorkerOptions): Promise<void> {
  const { registry = new Registry() } = options;
  const checks: ReadinessChecks = {
    ...options.checks,
    jobs: () => Promise.reject(new Error('The jobs have not started.')),
  };
  await serveAdmin({ ...options, checks, registry });
  if (!(await untilMigrated(options))) return;
  const jobs = await startJobs();
  delete checks.jobs;
  Object.assign(checks, checksOf(jobs));
  measureJobRuns(jobs, registry);
  measureJobs(jobs, registry);
}

/** Resolves to false when the process is stopped before the migration. */
async function untilMigrated({ checks, lifecycle, log }: Omit<WorkerOptions, 'startJobs'>): Promise<boolean> {
  const stopping = new AbortController();
  lifecycle.onStop('wait for the migration', () => stopping.abort());
  for (let isFirst = true; !stopping.signal.aborted; isFirst = false) {
    try {
      await checks.migrations();
      return true;
    } catch (error) {
      if (isFirst) log.warn({ err: error }, 'waiting for the migration');
    }
    await delay(CHECK_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
  }
  return false;
}
