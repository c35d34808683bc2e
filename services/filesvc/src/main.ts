import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { serve } from '@dtplatform/runtime';
import { Config } from './config.js';
import { createApp, createDeps } from './service.js';

await runProcess(
  'filesvc',
  () => loadConfig(Config),
  async (config, context) => {
    const deps = await createDeps(config, context);
    // After the last connection has closed, bytes of cut requests may still be in flight to the object store.
    context.lifecycle.onStop('uploads', () => deps.bodies.settled());
    await serve({ listener: createApp(deps), port: config.PORT }, deps);
    // Long uploads are cut, because clients can resume them at another replica. Short ones get time to complete.
    context.lifecycle.onStop('long uploads', () => deps.bodies.cutIn(config.SHUTDOWN_GRACE_MS / 2));
  },
);
