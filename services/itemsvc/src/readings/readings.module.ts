import { jobsOf, resource } from '@dtplatform/runtime';
import { itemJobs } from '../nameduseritems/nameduseritems.module.js';
import { cleanUpTelemetryItem, sweepReadings } from './readings.job.js';
import type { ReadingWorker } from './readings.job.js';
import { batchModel, readingModels, removalModel } from './readings.model.js';
import { readingRoutes } from './readings.routes.js';

export const readings = resource({
  tags: { readings: 'Readings of telemetry items.' },
  models: [...Object.values(readingModels), batchModel, removalModel],
  routes: (parts: Parameters<typeof readingRoutes>[0]) => [readingRoutes(parts)],
  jobs: (parts: ReadingWorker) => [jobsOf(itemJobs, { 'telemetry-item.clean-up': cleanUpTelemetryItem(parts) })],
  sweeps: sweepReadings,
});
