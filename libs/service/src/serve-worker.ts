import { setTimeout as delay } from 'node:timers/promises';
import { Registry } from 'prom-client';
import type { ReadinessChecks } from '@dtplatform/http';
import type { Database } from './database.js';
import { checksOf } from './jobs.js';
import type { Jobs } from './jobs.js';
import { measureJobs } from './measure-jobs.js';
import { serveAdmin } from './serve.js';
import type { AdminOptions } from './serve.js';

const ASK_EVERY_MS = 1_000;

export interface WorkerOptions extends AdminOptions {
  checks: Database['checks'];
  /** Starts the work; registers its end. */
  startJobs: () => Promise<Jobs>;
}

/**
 * Runs a worker: opens its admin port, and starts its jobs once the database is what this version needs. Before that they might
 * write what a unique index would refuse.
 */
export async function serveWorker({ startJobs, ...options }: WorkerOptions): Promise<void> {
  const { registry = new Registry() } = options;
  const checks: ReadinessChecks = {
    ...options.checks,
    jobs: () => Promise.reject(new Error('The jobs are not started.')),
  };
  await serveAdmin({ ...options, checks, registry });
  if (!(await untilMigrated(options))) return;
  const jobs = await startJobs();
  delete checks.jobs;
  Object.assign(checks, checksOf(jobs));
  measureJobs(jobs, registry);
}

/** False when the process stops before that. */
async function untilMigrated({ checks, lifecycle, log }: Omit<WorkerOptions, 'startJobs'>): Promise<boolean> {
  const stopping = new AbortController();
  lifecycle.onStop('wait for the migration', () => stopping.abort());
  for (let isFirst = true; !stopping.signal.aborted; isFirst = false) {
    try {
      await checks.migrations();
      return true;
    } catch (error) {
      if (isFirst) log.warn({ err: error }, 'the jobs wait for the migration');
    }
    await delay(ASK_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
  }
  return false;
}
