import { z } from 'zod';
import { loadConfig, mongoSettings, processSettings, redisSettings } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { connectMongo } from '@dtplatform/mongo';
import { serve } from '@dtplatform/service';
import { startJobs } from './jobs/start-jobs.js';

const WorkerConfig = z.object({ ...processSettings, ...mongoSettings, ...redisSettings });

await runProcess(
  'itemsvc-worker',
  () => loadConfig(WorkerConfig),
  async (config, { log, lifecycle }) => {
    const mongo = await connectMongo({
      url: config.MONGO_URL,
      database: config.MONGO_DB,
      appName: 'itemsvc-worker',
      log,
    });
    lifecycle.onStop('mongodb', () => mongo.close());
    const checks = await startJobs({ mongo, redisUrl: config.REDIS_URL, log, lifecycle });
    await serve(undefined, { config, log, lifecycle, checks: { mongodb: () => mongo.ping(), ...checks } });
  },
);
