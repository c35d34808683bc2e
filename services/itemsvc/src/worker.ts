import { z } from 'zod';
import { loadConfig, mongoSettings, processSettings, redisSettings } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { openDatabase, serveWorker } from '@dtplatform/service';
import { startJobs } from './jobs/start-jobs.js';
import { schema } from './store/schema.js';

const WorkerConfig = z.object({ ...processSettings, ...mongoSettings, ...redisSettings });

await runProcess(
  'itemsvc-worker',
  () => loadConfig(WorkerConfig),
  async (config, context) => {
    const { mongo, checks } = await openDatabase({ name: 'itemsvc-worker', schema }, config, context);
    const jobs = { ...context, mongo, redisUrl: config.REDIS_URL, graceMs: config.SHUTDOWN_GRACE_MS };
    await serveWorker({ ...context, config, checks, startJobs: () => startJobs(jobs) });
  },
);
