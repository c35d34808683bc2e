import type { Mongo } from '@dtplatform/mongo';
import { startRelay, startWorker } from '@dtplatform/queue';
import type { RelayOptions } from '@dtplatform/queue';
import type { QueueJobs } from './resource.js';
import type { ProcessContext } from './service-config.js';

export type QueueOptions = Pick<RelayOptions, 'queuePrefix' | 'redelivery'>;

interface Parts extends ProcessContext, QueueOptions {
  config: { REDIS_URL: string; SHUTDOWN_GRACE_MS: number };
  mongo: Mongo;
  hasOutbox: boolean;
}

/**
 * Starts a worker for each queue that resources handle, and the relay of the outbox.
 * @throws Error when a message of such a queue has no handler or two
 */
export async function startQueues(jobs: QueueJobs[], { config, mongo, log, lifecycle, hasOutbox, ...options }: Parts) {
  const { queuePrefix, redelivery } = options;
  const queues = { redisUrl: config.REDIS_URL, log, queuePrefix, redelivery };
  const workers = await Promise.all(
    byQueue(jobs).map((one) => startWorker({ ...queues, ...one, handlers: one.handlers as never })),
  );
  lifecycle.onStop('workers', () => Promise.all(workers.map((worker) => worker.stop(config.SHUTDOWN_GRACE_MS))));
  if (!hasOutbox) return { workers };
  const relay = await startRelay({ ...queues, mongo });
  lifecycle.onStop('outbox relay', () => relay.stop());
  return { workers, relay };
}

/** Merges the handlers of each queue. */
function byQueue(jobs: QueueJobs[]): QueueJobs[] {
  const queues = new Map<string, QueueJobs>();
  for (const { catalogue, handlers, concurrency } of jobs) {
    const known = queues.get(catalogue.queue);
    const twice = Object.keys(handlers).filter((name) => known?.handlers[name]);
    if (twice.length > 0) throw new Error(`Several resources handle ${twice.join(', ')} of ${catalogue.queue}.`);
    queues.set(catalogue.queue, {
      catalogue,
      handlers: { ...known?.handlers, ...handlers },
      concurrency: concurrency ?? known?.concurrency,
    });
  }
  for (const { catalogue, handlers } of queues.values()) {
    const missing = Object.keys(catalogue.messages).filter((name) => !handlers[name]);
    if (missing.length > 0) throw new Error(`No resource handles ${missing.join(', ')} of ${catalogue.queue}.`);
  }
  return [...queues.values()];
}
