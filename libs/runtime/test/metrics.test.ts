import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { z } from 'zod';
import { loadConfig } from '@dtplatform/config';
import { documents, ok, route, routes } from '@dtplatform/http';
import { createLifecycle } from '@dtplatform/lifecycle';
import { silentLogger } from '@dtplatform/logging';
import { defineSchema, migrateDatabase } from '@dtplatform/mongo';
import { createOutbox, defineCatalogue, PermanentError, queueModels, startRelay, startWorker } from '@dtplatform/queue';
import {
  createGrantTable,
  createTestTokens,
  eventually,
  startCuttableProxy,
  testEnvironment,
} from '@dtplatform/testing';
import { createAccess, createServiceApp, openBackends, serve, serveWorker, serviceSettings } from '../src/index.js';
import { recordingLogger } from './recording-logger.js';

const log = silentLogger();
const lifecycle = createLifecycle({ log, graceMs: 5000 });
afterAll(() => lifecycle.stop('the test is over'));
const real = testEnvironment('service');
const redisProxy = await startCuttableProxy(new URL(real.REDIS_URL!));
lifecycle.onStop('proxy', () => redisProxy.close());
const { pathname } = new URL(real.REDIS_URL!);
const config = loadConfig(z.object(serviceSettings), {
  ...real,
  REDIS_URL: `redis://127.0.0.1:${redisProxy.port}${pathname}`,
});
const schema = defineSchema({ models: queueModels, migrations: [] });
const backends = await openBackends({ name: 'svc', schema }, config, { processName: 'svc', log, lifecycle });
await migrateDatabase(backends.mongo, schema, { version: 'test', log, signal: new AbortController().signal });
lifecycle.onStop('database', () => backends.mongo.db.dropDatabase());

/** The lines of `/metrics` with one of these names. */
async function metrics(url: string, ...names: string[]): Promise<string[]> {
  const { text } = await supertest(url).get('/metrics').expect(200);
  return text.split('\n').filter((line) => names.includes(line.split(/[ {]/)[0]!));
}

describe('metrics of a service', () => {
  const place = recordingLogger();
  const table = routes('/things', [
    route.get('/', {
      operation: 'things.list',
      needs: documents({ rule: 'anyone' }),
      summary: 'List.',
      responses: { 200: null },
      handler: async ({ access }) => ok({ namespaces: await access.namespaces() }),
    }),
  ]);
  const api = { title: 'T', description: 'T.', mounts: [{ prefix: '/svc/api/v1', tables: [table] }] };
  let authorization: string;

  beforeAll(async () => {
    const tokens = await createTestTokens();
    const grants = createGrantTable(backends.redis);
    const { authenticate } = createAccess(backends, config, { keys: tokens.keys, grants });
    const deps = { ...backends, authenticate, config };
    await serve({ listener: createServiceApp(api, deps), port: 0 }, { ...deps, log: place.log });
    authorization = `Bearer ${await tokens.issue({ id: `user-${config.MONGO_DB}` })}`;
  });

  it('show hits and misses of its caches', async () => {
    const list = () => supertest(place.urlOf('port')).get('/svc/api/v1/things').set({ authorization }).expect(200);
    const lookups = async () =>
      (await metrics(place.urlOf('adminPort'), 'cache_lookups_total')).filter((line) => !line.includes('"grants"'));
    expect((await lookups()).map((line) => line.split(' ')[1])).toEqual(['0', '0', '0', '0']);
    for (let n = 0; n < 3; n++) await list();
    expect(await lookups()).toEqual([
      'cache_lookups_total{cache="tokens",outcome="hit"} 2',
      'cache_lookups_total{cache="tokens",outcome="miss"} 1',
      'cache_lookups_total{cache="namespaces",outcome="hit"} 2',
      'cache_lookups_total{cache="namespaces",outcome="miss"} 1',
    ]);
  });

  it('show the use of the connections to MongoDB', async () => {
    await backends.mongo.ping();
    const names = ['mongodb_pool_max_connections', 'mongodb_pool_waiting', 'mongodb_pool_failures_total'];
    expect(await metrics(place.urlOf('adminPort'), ...names)).toEqual([
      'mongodb_pool_max_connections 100',
      'mongodb_pool_waiting 0',
      'mongodb_pool_failures_total 0',
    ]);
    const connections = await metrics(place.urlOf('adminPort'), 'mongodb_pool_connections');
    expect(connections[0]).toBe('mongodb_pool_connections{state="in_use"} 0');
    expect(connections[1]).toMatch(/^mongodb_pool_connections\{state="idle"\} [1-9]/);
  });

  it('show whether it is connected to Redis', async () => {
    const connected = () => metrics(place.urlOf('adminPort'), 'redis_connected');
    expect(await connected()).toEqual(['redis_connected 1']);
    redisProxy.cut();
    await eventually(async () => expect(await connected()).toEqual(['redis_connected 0']));
    redisProxy.mend();
    await eventually(async () => expect(await connected()).toEqual(['redis_connected 1']));
  });
});

describe('metrics of a worker', () => {
  const place = recordingLogger();
  const catalogue = defineCatalogue(`svc.${config.MONGO_DB}`, { greet: z.object({ name: z.string() }) });
  const labels = (outcome: string) => `{queue="${catalogue.queue}",message="greet",outcome="${outcome}"}`;

  async function startJobs() {
    const queues = { redisUrl: real.REDIS_URL!, log };
    const handlers = {
      greet: async ({ name }: { name: string }) => {
        if (name === 'nobody') throw new PermanentError('There is nobody.');
      },
    };
    const worker = await startWorker({ ...queues, catalogue, handlers });
    lifecycle.onStop('worker', () => worker.stop(0));
    const relay = await startRelay({ ...queues, mongo: backends.mongo });
    lifecycle.onStop('relay', () => relay.stop());
    return { workers: [worker], relay };
  }

  it('show the outcomes of its jobs; each outcome starts at zero', async () => {
    await serveWorker({ ...backends, config, registry: undefined, log: place.log, startJobs });
    const counts = () => metrics(place.urlOf('adminPort'), 'job_duration_seconds_count');
    const expected = (done: number, failed: number) => [
      `job_duration_seconds_count${labels('done')} ${done}`,
      `job_duration_seconds_count${labels('postponed')} 0`,
      `job_duration_seconds_count${labels('retried')} 0`,
      `job_duration_seconds_count${labels('rejected')} 0`,
      `job_duration_seconds_count${labels('failed')} ${failed}`,
    ];
    expect(await counts()).toEqual(expected(0, 0));
    expect(await metrics(place.urlOf('adminPort'), 'queue_connected')).toEqual([
      `queue_connected{queue="${catalogue.queue}"} 1`,
    ]);
    const outbox = createOutbox(backends.mongo);
    for (const name of ['Ada', 'Eve', 'nobody'])
      await backends.mongo.transaction((session) => outbox.put(session, catalogue.messages.greet, { name }));
    await eventually(async () => expect(await counts()).toEqual(expected(2, 1)));
  });
});
