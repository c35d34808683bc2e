import { z } from 'zod';
import { defineCatalogue, taskPayload } from '@dtplatform/queue';
import { jobsOf, resource } from '@dtplatform/runtime';
import { ingestGroup, ingestMessages } from './messages.job.js';
import type { IngestionWorker } from './messages.job.js';
import { deadLetterModel, deliveryModel, messageModel } from './messages.model.js';
import { messageRoutes } from './messages.routes.js';
import { receiveFromBrokers } from './sources.job.js';
import type { SourceWorker } from './sources.job.js';

export const ingestionJobs = defineCatalogue('itemsvc.ingestion', {
  'telemetry.ingest': { payload: taskPayload, attempts: 8 },
  /** Messages from MQTT brokers, which have no task. */
  'telemetry.ingest-group': { payload: z.object({ groupId: z.string() }), attempts: 8 },
});

/** Some jobs wait for scripts. */
const CONCURRENCY = 8;

type Worker = IngestionWorker & SourceWorker;

export const messages = resource({
  tags: {
    messages: 'Messages of devices.',
    deadLetters: 'Messages of devices whose readings could not be stored.',
  },
  models: [messageModel, deadLetterModel, deliveryModel],
  routes: (parts: Parameters<typeof messageRoutes>[0]) => [messageRoutes(parts)],
  jobs: (parts: Worker) => [
    jobsOf(
      ingestionJobs,
      {
        'telemetry.ingest': ingestMessages(parts, ingestionJobs.messages['telemetry.ingest-group']),
        'telemetry.ingest-group': ingestGroup(parts.ingestion),
      },
      { concurrency: CONCURRENCY },
    ),
  ],
  sweeps: (parts: Worker) => receiveFromBrokers(parts),
});
