import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { serve } from '@dtplatform/service';
import { createApp } from './app.js';
import { Config } from './config.js';
import { createDeps } from './deps.js';

await runProcess(
  'filesvc',
  () => loadConfig(Config),
  async (config, context) => {
    const deps = await createDeps(config, context);
    // When no connection is left, what came of those that were cut may still be on its way to the store.
    context.lifecycle.onStop('uploads', () => deps.bodies.settled());
    await serve({ listener: createApp(deps), port: config.PORT }, deps);
    // An upload may last for hours, and a client can continue it elsewhere; what is short has the time to end.
    context.lifecycle.onStop('long uploads', () => deps.bodies.cutIn(config.SHUTDOWN_GRACE_MS / 2));
  },
);
