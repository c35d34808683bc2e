import type { Mongo } from '@dtplatform/mongo';
import { defineCatalogue, taskPayload } from '@dtplatform/queue';
import type { Tasks } from '@dtplatform/queue';
import { jobsOf, resource } from '@dtplatform/runtime';
import { createConfigContents } from './telemetry-config-writer.store.js';
import type { TelemetryConfigWriter } from './telemetry-config-writer.store.js';
import { changeTelemetryConfig, createTelemetryConfig } from './telemetry-configs.job.js';
import { takenNameModel, telemetryConfigModel, waitingChangesModel } from './telemetry-configs.model.js';
import { telemetryConfigRoutes, telemetryTaskRoutes } from './telemetryconfigs.routes.js';

export const telemetryJobs = defineCatalogue('itemsvc.telemetry', {
  'telemetry-config.create': taskPayload,
  'telemetry-config.change': taskPayload,
});

interface Worker {
  mongo: Mongo;
  tasks: Tasks;
  configWriter: TelemetryConfigWriter;
}

export const telemetryconfigs = resource({
  tags: {
    telemetryConfigs: 'How messages of devices become readings.',
    telemetryTasks: 'Accepted writes of telemetry configurations, and accepted messages.',
  },
  models: [telemetryConfigModel, takenNameModel, waitingChangesModel],
  routes: (parts: Parameters<typeof telemetryConfigRoutes>[0]) => [
    telemetryConfigRoutes(parts),
    telemetryTaskRoutes(parts),
  ],
  jobs: ({ tasks, configWriter }: Worker) => [
    jobsOf(
      telemetryJobs,
      {
        'telemetry-config.create': createTelemetryConfig(tasks, configWriter),
        'telemetry-config.change': changeTelemetryConfig(tasks, configWriter),
      },
      { concurrency: 16 },
    ),
  ],
  contents: ({ mongo }: Worker) => createConfigContents(mongo),
});
