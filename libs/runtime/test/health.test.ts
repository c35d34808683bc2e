import { afterAll, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { z } from 'zod';
import { loadConfig } from '@dtplatform/config';
import { ok, route, routes } from '@dtplatform/http';
import { createLifecycle } from '@dtplatform/lifecycle';
import { silentLogger } from '@dtplatform/logging';
import { defineSchema } from '@dtplatform/mongo';
import { createTestTokens, eventually, testEnvironment } from '@dtplatform/testing';
import { createAccess, createHealth, createServiceApp, openBackends, serve, serviceSettings } from '../src/index.js';
import { recordingLogger } from './recording-logger.js';

const log = silentLogger();
const config = loadConfig(z.object(serviceSettings), testEnvironment('service'));
/** Other tests report their processes, too. */
const processName = config.MONGO_DB;
const main = createLifecycle({ log, graceMs: 5000 });
afterAll(() => main.stop('the test is over'));
const schema = defineSchema({ models: [], migrations: [] });
const backends = await openBackends({ name: processName, schema }, config, { processName, log, lifecycle: main });
const health = createHealth(backends.redis);

async function own() {
  const { processes, services } = await health.read();
  return {
    processes: processes.filter(({ name }) => name.startsWith(processName)),
    services: services.filter(({ name }) => name.startsWith(processName)),
  };
}

it('a process reports its readiness and its requests until it stops', async () => {
  const place = recordingLogger();
  const lifecycle = createLifecycle({ log, graceMs: 5000 });
  let isReady = false;
  const backend = async () => {
    if (!isReady) throw new Error('It does not respond.');
  };
  const table = routes('/things', [
    route.get('/', {
      operation: 'things.list',
      auth: 'none',
      query: z.object({ fail: z.string().optional() }),
      summary: 'List.',
      responses: { 200: null },
      handler: async ({ query }) => {
        if (query.fail) throw new Error('a fault');
        return ok({});
      },
    }),
  ]);
  const api = { title: 'T', description: 'T.', mounts: [{ prefix: '/svc/api/v1', tables: [table] }] };
  const { keys } = await createTestTokens();
  const { authenticate } = createAccess(backends, config, { keys });
  const deps = { ...backends, authenticate, config, lifecycle };
  const listener = createServiceApp(api, deps);
  await serve({ listener, port: 0 }, { ...deps, checks: { backend }, log: place.log });
  await eventually(async () =>
    expect((await own()).processes).toMatchObject([{ state: 'NOT_READY', checks: { backend: 'failing' } }]),
  );

  const get = (path: string) => supertest(place.urlOf('port')).get(`/svc/api/v1${path}`);
  for (let n = 0; n < 3; n++) await get('/things').expect(200);
  await get('/things?fail=yes').expect(500);
  isReady = true;
  await eventually(async () => {
    const { processes, services } = await own();
    expect(processes).toMatchObject([{ state: 'READY', checks: { backend: 'ok' } }]);
    // Two minutes, if a new one has begun.
    const minutes = services.flatMap(({ requests }) => requests);
    expect(minutes.reduce((sum, { count }) => sum + count, 0)).toBe(4);
    expect(minutes.reduce((sum, { errors }) => sum + errors, 0)).toBe(1);
    for (const { medianMs, p95Ms } of minutes) expect(p95Ms).toBeGreaterThanOrEqual(medianMs!);
  });

  await lifecycle.stop('SIGTERM');
  expect(await own()).toEqual({ processes: [], services: [] });
});

it('a process that did not shut down is lost, and forgotten after an hour', async () => {
  const report = (id: string, name: string, ageMs: number, count: number) =>
    health.report(`${processName}-${id}`, {
      ...{ name: processName + name, host: id, startedAt: 0, seenAt: Date.now() - ageMs },
      ...{ ready: true, stopping: false, checks: {} },
      requests: [{ at: minute, count, errors: 1, medianMs: count, p95Ms: 2 * count }],
      jobs: [],
    });
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  await report('a', '', 0, 5);
  await report('b', '', 50_000, 7);
  await report('c', '', 3_601_000, 9);
  await report('d', '-worker', 0, 11);
  const { processes, services } = await own();
  expect(processes.map(({ host, state }) => [host, state])).toEqual([
    ['a', 'READY'],
    ['b', 'LOST'],
    ['d', 'READY'],
  ]);
  expect(services).toEqual([
    { name: processName, requests: [{ at: minute, count: 23, errors: 3, medianMs: 11, p95Ms: 22 }], jobs: [] },
  ]);
  for (const { id } of processes) await health.remove(id);
});
