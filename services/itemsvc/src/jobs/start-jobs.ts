import { workspaceDeleted } from '@dtplatform/contracts';
import type { Mongo } from '@dtplatform/mongo';
import { createOutbox, createTasks, emptyNamespaces, startRelay, startWorker } from '@dtplatform/queue';
import type { RelayOptions } from '@dtplatform/queue';
import type { Jobs, ProcessContext } from '@dtplatform/service';
import type { WorkerConfig } from '../config.js';
import { buildIndex, clearIndex } from '../indexes/indexes.job.js';
import { createIndexBuilder } from '../indexes/indexes.store.js';
import { startSources } from '../messages/sources.job.js';
import { cleanUpItem, cleanUpVersion } from '../nameduseritems/items.job.js';
import { createLeftovers } from '../nameduseritems/leftovers.store.js';
import { createNamespaceContents } from '../nameduseritems/namespaces.store.js';
import { createBatches } from '../readings/batches.store.js';
import { createReadingRemovals } from '../readings/reading-removals.store.js';
import { cleanUpTelemetryItem, startReadingSweeps } from '../readings/readings.job.js';
import { addRelatedItems } from '../relateditems/add-related-items.job.js';
import { createBulkWriter } from '../relateditems/bulk.store.js';
import { createTelemetryConfigWriter } from '../telemetryconfigs/telemetry-config-writer.store.js';
import { changeTelemetryConfig, createTelemetryConfig } from '../telemetryconfigs/telemetry-configs.job.js';
import { bulkJobs, itemJobs, telemetryJobs } from './catalogue.js';
import { startIngestion } from './start-ingestion.js';

/**
 * Starts all that the worker process does: it moves messages from the outbox to their queues, processes those of its own
 * queues, and finds lost tasks.
 */
export async function startJobs(
  { config, mongo, log, lifecycle }: ProcessContext & { config: WorkerConfig; mongo: Mongo },
  options: Pick<RelayOptions, 'queuePrefix' | 'redelivery'> & { refreshSourcesMs?: number } = {},
): Promise<Jobs> {
  const queues = { ...options, redisUrl: config.REDIS_URL, log };
  const tasks = createTasks(mongo);
  const configWriter = createTelemetryConfigWriter(mongo, tasks);
  const cleanUp = itemJobs.messages['item.clean-up'];
  const outbox = createOutbox(mongo);
  const leftovers = createLeftovers({ mongo, outbox });
  const indexBuilder = createIndexBuilder(mongo);
  const workers = [
    await startWorker({
      ...queues,
      catalogue: itemJobs,
      handlers: {
        'item.clean-up': cleanUpItem(leftovers),
        'version.clean-up': cleanUpVersion(leftovers),
        'related-index.fill': buildIndex(indexBuilder),
        'related-index.clear': clearIndex(indexBuilder),
        'telemetry-item.clean-up': cleanUpTelemetryItem({
          batches: createBatches(mongo),
          removals: createReadingRemovals({ mongo, outbox }),
        }),
        [workspaceDeleted.name]: emptyNamespaces(createNamespaceContents({ mongo, outbox, cleanUp }), tasks),
      },
    }),
    await startWorker({
      ...queues,
      catalogue: telemetryJobs,
      handlers: {
        'telemetry-config.create': createTelemetryConfig(tasks, configWriter),
        'telemetry-config.change': changeTelemetryConfig(tasks, configWriter),
      },
      concurrency: 16,
    }),
    await startWorker({
      ...queues,
      catalogue: bulkJobs,
      handlers: {
        'related-items.add': addRelatedItems(tasks, createBulkWriter({ mongo, outbox })),
      },
      concurrency: 2,
    }),
  ];
  const ingestion = await startIngestion({ ...queues, mongo, outbox, tasks, lifecycle });
  workers.push(ingestion);
  lifecycle.onStop('workers', () => Promise.all(workers.map((worker) => worker.stop(config.SHUTDOWN_GRACE_MS))));
  const relay = await startRelay({ ...queues, mongo });
  lifecycle.onStop('relay', () => relay.stop());
  startReadingSweeps({ mongo, outbox, log, lifecycle });
  startSources({
    mongo,
    outbox,
    log,
    lifecycle,
    connectors: config.MQTT_CONNECTORS,
    refreshMs: options.refreshSourcesMs,
  });

  return { workers, relay };
}
