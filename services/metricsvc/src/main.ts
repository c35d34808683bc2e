import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { runInlineWorker, serve } from '@dtplatform/runtime';
import { Config, WorkerConfig } from './config.js';
import { createApp, createDeps, createWorkerDeps, service } from './service.js';

await runProcess(
  'metricsvc',
  () => loadConfig(Config),
  async (config, context) => {
    const deps = await createDeps(config, context);
    await serve({ listener: createApp(deps), port: config.PORT }, deps);
    await runInlineWorker(deps, { Config: WorkerConfig, createDeps: createWorkerDeps, service });
  },
);
