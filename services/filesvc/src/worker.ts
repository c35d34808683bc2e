import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { serveWorker } from '@dtplatform/runtime';
import { WorkerConfig } from './config.js';
import { createWorkerDeps, service } from './service.js';

await runProcess(
  'filesvc-worker',
  () => loadConfig(WorkerConfig),
  async (config, context) => {
    const deps = await createWorkerDeps(config, context);
    await serveWorker({ ...deps, startJobs: () => service.startJobs(deps) });
  },
);
