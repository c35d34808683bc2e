import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { runInlineWorker, serve } from '@dtplatform/runtime';
import { Config, WorkerConfig } from './config.js';
import { createApp, createDeps, createWorkerDeps, service } from './service.js';

await runProcess(
  'filesvc',
  () => loadConfig(Config),
  async (config, context) => {
    const deps = await createDeps(config, context);
    // Bytes of cut requests may still be in flight to S3 after the last connection has closed.
    context.lifecycle.onStop('uploads', () => deps.bodies.settled());
    await serve({ listener: createApp(deps), port: config.PORT }, deps);
    await runInlineWorker(deps, { Config: WorkerConfig, createDeps: createWorkerDeps, service });
    // Cuts long uploads, which clients resume at another replica. Short ones get time to complete. Registered last, so
    // that the time starts with the shutdown.
    context.lifecycle.onStop('long uploads', () => deps.bodies.cutIn(config.SHUTDOWN_GRACE_MS / 2));
  },
);
