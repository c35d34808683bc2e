import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { runInlineWorker, serve } from '@dtplatform/runtime';
import { Config, WorkerConfig } from './config.js';
import { WrongKeyEncryptionKey } from './oauth/keys/sealer.js';
import { createApp, createDeps, createWorkerDeps, service } from './service.js';
import { startSweeps, startTokenSweeps, startUserSweeps } from './start-sweeps.js';

await runProcess(
  'passportsvc',
  () => loadConfig(Config),
  async (config, context) => {
    const deps = await createDeps(config, context);
    // An unavailable database may recover; a wrong key encryption key never will.
    await deps.signingKeys().catch((error: unknown) => {
      if (error instanceof WrongKeyEncryptionKey) throw error;
      context.log.warn({ err: error }, 'the signing keys are not loaded yet');
    });
    await serve({ listener: createApp(deps), port: config.PORT }, deps);
    startSweeps(deps);
    startUserSweeps(deps);
    startTokenSweeps(deps);
    await runInlineWorker(deps, { Config: WorkerConfig, createDeps: createWorkerDeps, service });
  },
);
