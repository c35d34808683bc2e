import supertest from 'supertest';
import { loadConfig } from '@dtplatform/config';
import { createLifecycle } from '@dtplatform/lifecycle';
import { createLogger } from '@dtplatform/logging';
import { ensureIndexes } from '@dtplatform/mongo';
import { createTestTokens, testEnvironment } from '@dtplatform/testing';
import { createApp } from '../src/app.js';
import { Config } from '../src/config.js';
import { createDeps } from '../src/deps.js';
import { indexes } from '../src/store/indexes.js';

/** Ids of users that do not exist in these tests begin so. */
const UNKNOWN = 'unknown';

/** The real application on a database of its own. */
export async function startApp(environment: Record<string, string> = {}) {
  const config = loadConfig(Config, testEnvironment('objectmodelsvc', environment));
  const log = createLogger({ service: 'test', level: config.LOG_LEVEL });
  const lifecycle = createLifecycle({ log, graceMs: 5000 });
  const tokens = await createTestTokens();
  const subjects = { exists: async ({ _id }: { _id: string }) => !_id.startsWith(UNKNOWN) };
  const deps = await createDeps(config, { log, lifecycle }, { keys: tokens.keys, subjects });
  await ensureIndexes(deps.mongo.db, indexes);
  return {
    api: supertest(createApp(deps)),
    deps,
    as: async (id: string, kind: 'user' | 'trusted' | 'app' = 'user') =>
      `Bearer ${await tokens.issue({ id, kind, appId: kind === 'user' ? 'app' : id })}`,
    async stop() {
      await deps.mongo.db.dropDatabase();
      await lifecycle.stop('the test is over');
    },
  };
}
