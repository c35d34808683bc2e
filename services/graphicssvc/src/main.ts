import { loadConfig } from '@dtplatform/config';
import type { Attach } from '@dtplatform/http';
import { runProcess } from '@dtplatform/lifecycle';
import { runInlineWorker, serve } from '@dtplatform/runtime';
import { Config } from './config.js';
import { createApp, createDeps, createWorkerDeps, service } from './service.js';
import { acceptUpgrades } from './stream/upgrades.http.js';

await runProcess(
  'graphicssvc',
  () => loadConfig(Config),
  async (config, context) => {
    const deps = await createDeps(config, context);
    const attach: Attach = (server, release) => acceptUpgrades(server, deps.stream, release);
    await serve({ listener: createApp(deps), port: config.PORT, attach }, deps);
    await runInlineWorker(deps, { Config, createDeps: createWorkerDeps, service });
  },
);
