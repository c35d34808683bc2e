import type { Lifecycle } from '@dtplatform/lifecycle';
import type { Logger } from '@dtplatform/logging';
import type { Mongo } from '@dtplatform/mongo';
import { createTasks, startRelay, startTaskSweep, startWorker } from '@dtplatform/queue';
import type { Jobs } from '@dtplatform/service';
import { createLeftovers } from '../store/nameduseritems/leftovers.js';
import { createTelemetryConfigWriter } from '../store/telemetryconfigs/telemetry-config-writer.js';
import { itemJobs, telemetryJobs } from './catalogue.js';
import { cleanUpItem } from './clean-up-item.job.js';
import { createTelemetryConfig } from './create-telemetry-config.job.js';

export interface JobsOptions {
  mongo: Mongo;
  redisUrl: string;
  log: Logger;
  lifecycle: Lifecycle;
  /** How long the stop of the process may take. */
  graceMs: number;
  /** Keeps the queues of several installations (or tests) on one Redis apart. */
  queuePrefix?: string;
}

/** Starts all that the worker process does: it carries messages to their queues, works on its own, and finds lost tasks. */
export async function startJobs({ lifecycle, graceMs, ...options }: JobsOptions): Promise<Jobs> {
  const { mongo, log } = options;
  const tasks = createTasks(mongo);
  const workers = [
    await startWorker({
      ...options,
      catalogue: itemJobs,
      handlers: { 'item.clean-up': cleanUpItem(createLeftovers(mongo)) },
    }),
    await startWorker({
      ...options,
      catalogue: telemetryJobs,
      handlers: { 'telemetry-config.create': createTelemetryConfig(tasks, createTelemetryConfigWriter(mongo, tasks)) },
      concurrency: 16,
    }),
  ];
  lifecycle.onStop('workers', () => Promise.all(workers.map((worker) => worker.stop(graceMs))));
  const relay = await startRelay(options);
  lifecycle.onStop('relay', () => relay.stop());
  const sweep = startTaskSweep({ tasks, log });
  lifecycle.onStop('task sweep', () => sweep.stop());

  return { workers, relay };
}
