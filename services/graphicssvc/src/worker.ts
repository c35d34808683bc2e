import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { serveWorker } from '@dtplatform/service';
import { Config } from './config.js';
import { createDeps, startJobs } from './service.js';

await runProcess(
  'graphicssvc-worker',
  () => loadConfig(Config),
  async (config, context) => {
    const deps = await createDeps(config, context);
    const checks = { ...deps.checks, s3: () => deps.objects.ping() };
    await serveWorker({ ...deps, checks, startJobs: () => startJobs(deps) });
  },
);
