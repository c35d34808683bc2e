import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import supertest from 'supertest';
import { loadConfig } from '@dtplatform/config';
import { createLifecycle } from '@dtplatform/lifecycle';
import { createLogger } from '@dtplatform/logging';
import { ensureIndexes } from '@dtplatform/mongo';
import { connectRedis } from '@dtplatform/redis';
import { createGrantTable, createTestTokens, testEnvironment } from '@dtplatform/testing';
import { createApp } from '../src/app.js';
import { Config, WorkerConfig } from '../src/config.js';
import { createDeps, createWorkerDeps } from '../src/deps.js';
import { startJobs } from '../src/jobs/start-jobs.js';
import { schema } from '../src/store/schema.js';

export const FILES = '/filesvc/api/v1/files';
export const NS = 'tower_1';

export type TestApp = Awaited<ReturnType<typeof startApp>>;

/** The real application with its own database and bucket. */
export async function startApp(more: Record<string, string> = {}) {
  const environment = testEnvironment('filesvc', more);
  const tokens = await createTestTokens();
  const lifecycle = createLifecycle({ log: createLogger({ service: 'test', level: 'silent' }), graceMs: 10_000 });
  const silent = createLogger({ service: 'test', level: 'silent' });
  const redis = await connectRedis({ url: environment.REDIS_URL!, kind: 'cache', log: silent });
  lifecycle.onStop('redis of the grants', () => redis.close());
  const table = createGrantTable(redis.client);

  /** One more instance of the service on the same backends. */
  async function startInstance(settings: Record<string, string> = {}) {
    const config = loadConfig(Config, { ...environment, ...settings });
    const log = createLogger({ service: 'test', level: config.LOG_LEVEL });
    const deps = await createDeps(config, { log, lifecycle }, { keys: tokens.keys, grants: table });
    const server = createServer(createApp(deps));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    lifecycle.onStop('test server', () => closeServer(server));
    const { port } = server.address() as AddressInfo;
    return { deps, server, port, url: `http://127.0.0.1:${port}`, api: supertest(server) };
  }

  const first = await startInstance();
  await ensureIndexes(first.deps.mongo, schema.models, silent);
  await first.deps.objects.ensureBucket();
  const as = async (id: string, kind: 'user' | 'trusted' | 'app' = 'user') =>
    `Bearer ${await tokens.issue({ id, kind, appId: kind === 'user' ? 'app' : id })}`;
  await table.allow('olga', NS, '*:*:*', ['*']);

  return {
    ...first,
    grants: table,
    as,
    olga: await as('olga'),
    startInstance,
    async startWorker(settings: Record<string, string> = {}) {
      const config = loadConfig(WorkerConfig, { ...environment, ...settings });
      const log = createLogger({ service: 'test', level: config.LOG_LEVEL });
      const deps = await createWorkerDeps(config, { log, lifecycle });
      return startJobs(deps, { queuePrefix: config.MONGO_DB });
    },
    async stop() {
      await first.deps.mongo.db.dropDatabase();
      await lifecycle.stop('the test is over');
    },
  };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
