import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { openDatabase, serveWorker } from '@dtplatform/service';
import { WorkerConfig } from './config.js';
import { openObjects } from './deps.js';
import { startJobs } from './jobs/start-jobs.js';
import { schema } from './store/schema.js';

await runProcess(
  'filesvc-worker',
  () => loadConfig(WorkerConfig),
  async (config, context) => {
    const { mongo, checks } = await openDatabase({ name: 'filesvc-worker', schema }, config, context);
    const objects = openObjects(config, context);
    const deps = { ...context, config, mongo, objects };
    await serveWorker({
      ...deps,
      checks: { ...checks, s3: () => objects.ping() },
      startJobs: () => startJobs(deps),
    });
  },
);
