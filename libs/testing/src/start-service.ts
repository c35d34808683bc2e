import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JWTVerifyGetKey } from 'jose';
import supertest from 'supertest';
import type { z } from 'zod';
import { loadConfig } from '@dtplatform/config';
import type { PrincipalKind } from '@dtplatform/jwt';
import { createLifecycle } from '@dtplatform/lifecycle';
import type { Lifecycle } from '@dtplatform/lifecycle';
import { createLogger } from '@dtplatform/logging';
import type { Logger } from '@dtplatform/logging';
import { connectMongo, migrateDatabase } from '@dtplatform/mongo';
import type { Schema } from '@dtplatform/mongo';
import type { GrantSource } from '@dtplatform/permissions';
import { connectRedis } from '@dtplatform/redis';
import { deleteKeys } from './delete-keys.js';
import { testEnvironment } from './environment.js';
import { createGrantTable } from './grant-table.js';
import { createTestTokens } from './tokens.js';

type Settings = Record<string, string>;

/** One process of the service, with its own configuration and lifecycle. */
export interface TestProcess<C> {
  processName: string;
  /** The environment of the configuration, for a worker with other settings. */
  env: NodeJS.ProcessEnv;
  config: C;
  log: Logger;
  lifecycle: Lifecycle;
  /** The keys of the test's tokens, and the table of its grants. */
  sources: { keys: JWTVerifyGetKey; grants: GrantSource };
}

export interface ServiceUnderTest<S extends z.ZodObject, D, W> {
  name: string;
  schema: Schema;
  Config: S;
  createDeps(process: TestProcess<z.infer<S>>): Promise<D>;
  createApp(deps: D): RequestListener;
  /** Serves other protocols, such as websockets. @returns a function that closes their connections */
  attach?(server: Server, deps: D): () => Promise<void>;
  /** Starts what the worker process does, on queues of the test. */
  startWorker?(process: TestProcess<z.infer<S>>, options: { queuePrefix: string }): Promise<W>;
  /** Additional settings; they may depend on the URL of the service. */
  environment?: Settings | ((url: string) => Settings);
}

/**
 * Starts the real application on a separate, migrated database. Tests can start further instances and workers beside
 * it.
 */
export async function startService<S extends z.ZodObject, D, W = unknown>(service: ServiceUnderTest<S, D, W>) {
  const { name, environment = {} } = service;
  const firstServer = await listen();
  const more = typeof environment === 'function' ? environment(urlOf(firstServer)) : environment;
  const env = testEnvironment(name, more);
  const stops: (() => Promise<unknown>)[] = [];
  const log = createLogger({ service: 'test', level: env.LOG_LEVEL! });
  const [database, queuePrefix] = [env.MONGO_DB!, env.MONGO_DB!];
  const mongo = await connectMongo({ url: env.MONGO_URL!, database, appName: 'test', log });
  const redis = await connectRedis({ url: env.REDIS_URL!, kind: 'cache', log });
  const tokens = await createTestTokens(env.OAUTH_ISSUER, env.OAUTH_AUDIENCE ?? env.BASE_URL);
  const grants = createGrantTable(redis);
  await migrateDatabase(mongo, service.schema, { version: 'test', log, signal: new AbortController().signal });

  function createProcess(settings: Settings): TestProcess<z.infer<S>> & { stop: () => Promise<void> } {
    const own = { ...env, ...settings };
    const config = loadConfig(service.Config, own);
    const lifecycle = createLifecycle({ log, graceMs: config.SHUTDOWN_GRACE_MS as number });
    const stop = () => lifecycle.stop('the test stops this process');
    stops.unshift(stop);
    return { processName: name, env: own, config, log, lifecycle, sources: { keys: tokens.keys, grants }, stop };
  }

  /** Another instance of the service on the same backends. */
  async function startInstance(settings: Settings = {}, listening?: Server) {
    const { stop, ...process } = createProcess(settings);
    const deps = await service.createDeps(process);
    const server = listening ?? (await listen());
    server.on('request', service.createApp(deps));
    process.lifecycle.onStop('server', () => close(server));
    const detach = service.attach?.(server, deps);
    if (detach) process.lifecycle.onStop('attached', detach);
    return { deps, server, url: urlOf(server), api: supertest(server), stop };
  }

  const { stop: stopFirst, ...first } = await startInstance({}, firstServer);
  return {
    ...first,
    env,
    mongo,
    grants,
    tokens,
    queuePrefix,
    stopFirst,
    startInstance,
    /** The value of an `Authorization` header. An app's id is also its client id. */
    as: async (id: string, kind: PrincipalKind = 'user') =>
      `Bearer ${await tokens.issue({ id, kind, ...(isUser(kind) ? {} : { appId: id }) })}`,
    /** A worker in this process. With a `SHUTDOWN_GRACE_MS` of 1, its stop abandons running jobs. */
    async startWorker(settings: Settings = {}) {
      const { stop, ...process } = createProcess(settings);
      return { jobs: await service.startWorker!(process, { queuePrefix }), stop };
    },
    async stop() {
      for (const stop of stops) await stop();
      await mongo.db.dropDatabase();
      await deleteKeys(redis.client, `{${queuePrefix}.*`);
      await Promise.all([mongo.close(), redis.close()]);
    },
  };
}

const isUser = (kind: PrincipalKind) => kind === 'user' || kind === 'admin';

async function listen(): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
