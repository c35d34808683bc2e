import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { sweepGrants } from '@dtplatform/mongo';
import { runInlineWorker, serve } from '@dtplatform/runtime';
import { Config } from './config.js';
import { createApp, createDeps, createWorkerDeps, service } from './service.js';

await runProcess(
  'datasourcesvc',
  () => loadConfig(Config),
  async (config, context) => {
    const deps = await createDeps(config, context);
    await serve({ listener: createApp(deps), port: config.PORT }, deps);
    sweepGrants(deps);
    await runInlineWorker(deps, { Config, createDeps: createWorkerDeps, service });
  },
);
