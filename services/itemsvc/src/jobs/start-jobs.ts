import type { Mongo } from '@dtplatform/mongo';
import { createOutbox, createTasks, startRelay, startTaskSweep, startWorker } from '@dtplatform/queue';
import type { RelayOptions } from '@dtplatform/queue';
import type { Jobs, ProcessContext } from '@dtplatform/service';
import type { WorkerConfig } from '../config.js';
import { createLeftovers } from '../store/nameduseritems/leftovers.js';
import { createNamespaceContents } from '../store/namespaces/namespace-contents.js';
import { createTelemetryConfigWriter } from '../store/telemetryconfigs/telemetry-config-writer.js';
import { itemJobs, telemetryJobs } from './catalogue.js';
import { cleanUpItem } from './clean-up-item.job.js';
import { emptyNamespaces } from './empty-namespaces.job.js';
import { createTelemetryConfig } from './create-telemetry-config.job.js';

/**
 * Starts all that the worker process does: it moves messages from the outbox to their queues, processes those of its own
 * queues, and finds lost tasks.
 */
export async function startJobs(
  { config, mongo, log, lifecycle }: ProcessContext & { config: WorkerConfig; mongo: Mongo },
  options: Pick<RelayOptions, 'queuePrefix' | 'redelivery'> = {},
): Promise<Jobs> {
  const queues = { ...options, redisUrl: config.REDIS_URL, log };
  const tasks = createTasks(mongo);
  const cleanUp = itemJobs.messages['item.clean-up'];
  const workers = [
    await startWorker({
      ...queues,
      catalogue: itemJobs,
      handlers: {
        'item.clean-up': cleanUpItem(createLeftovers(mongo)),
        'workspace.deleted.v1': emptyNamespaces(
          createNamespaceContents({ mongo, outbox: createOutbox(mongo), cleanUp }),
        ),
      },
    }),
    await startWorker({
      ...queues,
      catalogue: telemetryJobs,
      handlers: { 'telemetry-config.create': createTelemetryConfig(tasks, createTelemetryConfigWriter(mongo, tasks)) },
      concurrency: 16,
    }),
  ];
  lifecycle.onStop('workers', () => Promise.all(workers.map((worker) => worker.stop(config.SHUTDOWN_GRACE_MS))));
  const relay = await startRelay({ ...queues, mongo });
  lifecycle.onStop('relay', () => relay.stop());
  const sweep = startTaskSweep({ tasks, log });
  lifecycle.onStop('task sweep', () => sweep.stop());

  return { workers, relay };
}
