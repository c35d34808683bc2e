import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { openDatabase, serveWorker } from '@dtplatform/service';
import { WorkerConfig } from './config.js';
import { startJobs } from './jobs/start-jobs.js';
import { schema } from './store/schema.js';

await runProcess(
  'metricsvc-worker',
  () => loadConfig(WorkerConfig),
  async (config, context) => {
    const { mongo, checks } = await openDatabase({ name: 'metricsvc-worker', schema }, config, context);
    const process = { ...context, config, mongo };
    await serveWorker({ ...process, checks, startJobs: () => startJobs(process) });
  },
);
