import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { serve } from '@dtplatform/service';
import { createApp } from './app.js';
import { settleGrants } from './bootstrap/settle-grants.js';
import { Config } from './config.js';
import { createDeps } from './deps.js';
import { WrongKeyEncryptionKey } from './domain/signing-keys.js';

await runProcess(
  'passportsvc',
  () => loadConfig(Config),
  async (config, context) => {
    const deps = await createDeps(config, context);
    // A database that is away comes back; keys that cannot be read never will be.
    await deps.oauth.ready().catch((error: unknown) => {
      if (error instanceof WrongKeyEncryptionKey) throw error;
      context.log.warn({ err: error }, 'the signing keys are not loaded yet');
    });
    await serve({ listener: createApp(deps), port: config.PORT }, deps);
    settleGrants(deps);
  },
);
