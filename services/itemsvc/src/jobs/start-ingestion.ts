import type { Mongo } from '@dtplatform/mongo';
import { createTotals, startWorker } from '@dtplatform/queue';
import type { Outbox, Tasks, WorkerHandle, WorkerOptions } from '@dtplatform/queue';
import type { ProcessContext } from '@dtplatform/service';
import { createIngestion } from '../domain/messages/ingestion.js';
import { createIngestionStore } from '../store/messages/ingestion-store.js';
import { createReadingStore } from '../store/readings/reading-store.js';
import { ingestionJobs } from './catalogue.js';
import { ingestMessages } from './ingest-messages.job.js';
import { ingestGroup } from './ingest-group.job.js';
import { createNormalizer, scriptsIn } from './run-scripts.js';

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
