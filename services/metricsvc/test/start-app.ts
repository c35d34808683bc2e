import { expect } from '@jest/globals';
import supertest from 'supertest';
import { loadConfig } from '@dtplatform/config';
import { usageRecorded } from '@dtplatform/contracts';
import type { UsageRecorded } from '@dtplatform/contracts';
import { createLifecycle } from '@dtplatform/lifecycle';
import { createLogger } from '@dtplatform/logging';
import { connectMongo, ensureIndexes, newId } from '@dtplatform/mongo';
import { createOutbox, defineMessage, queueModels, startRelay } from '@dtplatform/queue';
import { connectRedis } from '@dtplatform/redis';
import { createGrantTable, createTestTokens, eventually, testEnvironment } from '@dtplatform/testing';
import { createApp } from '../src/app.js';
import { Config } from '../src/config.js';
import { createDeps } from '../src/deps.js';
import { startJobs } from '../src/jobs/start-jobs.js';
import { schema } from '../src/store/schema.js';

export type Change = UsageRecorded['_changes'][number];

const usage = defineMessage(usageRecorded);

/** The real application and its worker on their own database and queue, and an outbox as other services have it. */
export async function startApp(options: { workerMongoUrl?: string } = {}) {
  const config = loadConfig(Config, testEnvironment('metricsvc'));
  const log = createLogger({ service: 'test', level: config.LOG_LEVEL });
  const lifecycle = createLifecycle({ log, graceMs: 10_000 });
  const tokens = await createTestTokens();
  const redis = await connectRedis({ url: config.REDIS_URL, kind: 'cache', log });
  lifecycle.onStop('redis of the grants', () => redis.close());
  const grants = createGrantTable(redis.client);
  const deps = await createDeps(config, { log, lifecycle }, { keys: tokens.keys, grants });
  await ensureIndexes(deps.mongo, [...schema.models, ...queueModels], log);

  const queuePrefix = config.MONGO_DB;
  const relay = await startRelay({ mongo: deps.mongo, redisUrl: config.REDIS_URL, log, queuePrefix });
  lifecycle.onStop('relay', () => relay.stop());
  const url = options.workerMongoUrl ?? config.MONGO_URL;
  const mongo = await connectMongo({ url, database: config.MONGO_DB, appName: 'test-worker', log });
  lifecycle.onStop('worker mongodb', () => mongo.close());
  await startJobs({ config, mongo, log, lifecycle }, { queuePrefix });
  const outbox = createOutbox(deps.mongo);
  const jobKeys = () =>
    deps.redis.client.keys(`{${queuePrefix}.${usage.queue}}:${usage.queue}:${'[0-9a-f]'.repeat(24)}*`);

  return {
    api: supertest(createApp(deps)),
    deps,
    grants,
    as: async (id: string, kind: 'user' | 'trusted' | 'app' = 'user') => `Bearer ${await tokens.issue({ id, kind })}`,
    /** Sends usage. Reusing an id sends the same message again. */
    send: async (namespace: string, changes: Change[], { at = Date.now(), id = newId() } = {}) => {
      const message = { _namespace: namespace, _at: at, _changes: changes };
      // The queue forgets the job when it ends, so that the same message can be delivered again.
      await deps.mongo.transaction((session) => outbox.put(session, usage, message, { id, forget: true }));
      return id;
    },
    /** Resolves when every sent message has been processed. */
    settled: () =>
      eventually(
        async () => {
          expect(await deps.mongo.db.collection('outbox').countDocuments()).toBe(0);
          expect(await jobKeys()).toEqual([]);
        },
        { timeoutMs: 30_000 },
      ),
    async stop() {
      await deps.mongo.db.dropDatabase();
      const keys = await deps.redis.client.keys(`{${queuePrefix}.*`);
      if (keys.length > 0) await deps.redis.client.del(...keys);
      await lifecycle.stop('the test is over');
    },
  };
}
