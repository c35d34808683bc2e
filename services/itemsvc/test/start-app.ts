import supertest from 'supertest';
import { loadConfig } from '@dtplatform/config';
import type { PermissionEntry } from '@dtplatform/contracts';
import { createLifecycle } from '@dtplatform/lifecycle';
import { createLogger } from '@dtplatform/logging';
import { ensureIndexes } from '@dtplatform/mongo';
import { createGrantTable, createTestTokens, testEnvironment } from '@dtplatform/testing';
import type { GrantTable } from '@dtplatform/testing';
import { createApp } from '../src/app.js';
import { Config } from '../src/config.js';
import { createDeps } from '../src/deps.js';
import { startJobs } from '../src/jobs/start-jobs.js';
import { indexes } from '../src/store/indexes.js';
import { filesInMemory } from './files-in-memory.js';

export const API = '/itemsvc/api/v1';

export type TestApp = Awaited<ReturnType<typeof startApp>>;

/** The real application on a database of its own; filesvc and objectmodelsvc are replaced by tables in memory. */
export async function startApp() {
  const config = loadConfig(Config, testEnvironment('itemsvc'));
  const log = createLogger({ service: 'test', level: config.LOG_LEVEL });
  const lifecycle = createLifecycle({ log, graceMs: 10_000 });
  const tokens = await createTestTokens();
  const files = filesInMemory();
  let table: GrantTable | undefined;
  const grants: Parameters<typeof createDeps>[2] = {
    grants: (_mongo, redis) => (table = createGrantTable(redis.client)),
  };
  const deps = await createDeps(config, { log, lifecycle }, { ...grants, keys: tokens.keys, files });
  await ensureIndexes(deps.mongo.db, indexes);

  return {
    api: supertest(createApp(deps)),
    deps,
    files,
    grants: table!,
    /** Starts what the worker process does. */
    startJobs: () =>
      startJobs({
        mongo: deps.mongo,
        redisUrl: config.REDIS_URL,
        graceMs: config.SHUTDOWN_GRACE_MS,
        queuePrefix: config.MONGO_DB,
        log,
        lifecycle,
      }),
    token: (id: string, kind: 'user' | 'admin' | 'trusted' | 'app' = 'user') =>
      tokens.issue({ id, kind, appId: kind === 'user' || kind === 'admin' ? 'app' : id }),
    /** A caller who holds actions in a namespace. */
    async caller(id: string, namespace: string, actions: PermissionEntry['_actions'] = ['*'], irn = '*:*:*') {
      await table!.allow(id, namespace, irn, actions);
      return { authorization: `Bearer ${await tokens.issue({ id })}` };
    },
    async stop() {
      await deps.mongo.db.dropDatabase();
      await lifecycle.stop('the test is over');
    },
  };
}
