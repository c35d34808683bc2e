import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { serveWorker } from '@dtplatform/service';
import { Config } from './config.js';
import { createDeps, startJobs } from './service.js';

await runProcess(
  'datasourcesvc-worker',
  () => loadConfig(Config),
  async (config, context) => {
    const deps = await createDeps(config, context);
    await serveWorker({ ...deps, startJobs: () => startJobs(deps) });
  },
);
