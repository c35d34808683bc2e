import type { Mongo } from '@dtplatform/mongo';
import { createTotals, startWorker } from '@dtplatform/queue';
import type { Outbox, Tasks, WorkerHandle, WorkerOptions } from '@dtplatform/queue';
import type { ProcessContext } from '@dtplatform/service';
import { createIngestion } from '../messages/ingestion.js';
import { createIngestionStore } from '../messages/ingestion.store.js';
import { createNormalizer, ingestGroup, ingestMessages, scriptsIn } from '../messages/messages.job.js';
import { createReadingStore } from '../readings/readings.store.js';
import { ingestionJobs } from './catalogue.js';

type Options = Pick<WorkerOptions<typeof ingestionJobs>, 'redisUrl' | 'queuePrefix' | 'log'> &
  Pick<ProcessContext, 'lifecycle'> & { mongo: Mongo; outbox: Outbox; tasks: Tasks };

/** Turns messages of devices into readings, with the scripts of their configurations. */
export function startIngestion({ mongo, outbox, tasks, lifecycle, ...queues }: Options): Promise<WorkerHandle> {
  const readingStore = createReadingStore({ mongo, outbox, totals: createTotals(mongo), log: queues.log });
  const ingestionStore = createIngestionStore({ mongo, readingStore });
  const sandbox = createNormalizer();
  lifecycle.onStop('sandbox', () => sandbox.close());
  const ingestion = createIngestion({ ingestionStore, readingStore, scripts: scriptsIn(sandbox) });
  const groupMessage = ingestionJobs.messages['telemetry.ingest-group'];
  return startWorker({
    ...queues,
    catalogue: ingestionJobs,
    handlers: {
      'telemetry.ingest': ingestMessages({ mongo, outbox, tasks, ingestion, ingestionStore, groupMessage }),
      'telemetry.ingest-group': ingestGroup(ingestion),
    },
    // Some of them wait for scripts.
    concurrency: 8,
  });
}
