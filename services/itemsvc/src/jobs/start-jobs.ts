import type { ReadinessChecks } from '@dtplatform/http';
import type { Lifecycle } from '@dtplatform/lifecycle';
import type { Logger } from '@dtplatform/logging';
import type { Mongo } from '@dtplatform/mongo';
import { createTasks, startRelay, startTaskSweep, startWorker } from '@dtplatform/queue';
import { createLeftovers } from '../store/leftovers.js';
import { createTelemetryConfigWriter } from '../store/telemetry-config-writer.js';
import { itemJobs, telemetryJobs } from './catalogue.js';
import { cleanUpItem } from './clean-up-item.job.js';
import { createTelemetryConfig } from './create-telemetry-config.job.js';

export interface JobsOptions {
  mongo: Mongo;
  redisUrl: string;
  log: Logger;
  lifecycle: Lifecycle;
  /** Keeps the queues of several installations (or tests) on one Redis apart. */
  queuePrefix?: string;
}

/** Starts all that the worker process does: it carries messages to their queues, works on its own, and finds lost tasks. */
export async function startJobs({ lifecycle, ...options }: JobsOptions): Promise<ReadinessChecks> {
  const { mongo, log } = options;
  const tasks = createTasks(mongo.db);
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
  for (const worker of workers) lifecycle.onStop('worker', () => worker.stop());
  const relay = await startRelay(options);
  lifecycle.onStop('relay', () => relay.stop());
  const sweep = startTaskSweep({ tasks, log });
  lifecycle.onStop('task sweep', () => sweep.stop());

  return {
    redis: async () => void (await Promise.all(workers.map((worker) => worker.ping()))),
    relay: async () => {
      if (!relay.healthy()) throw new Error('The relay does not reach its backends.');
    },
  };
}
