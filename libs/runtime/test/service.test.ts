import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { z } from 'zod';
import { loadConfig } from '@dtplatform/config';
import { documents, ok, route, routes } from '@dtplatform/http';
import { createLifecycle } from '@dtplatform/lifecycle';
import type { Lifecycle } from '@dtplatform/lifecycle';
import { silentLogger } from '@dtplatform/logging';
import { defineModel, defineSchema, id, migrateDatabase } from '@dtplatform/mongo';
import { createGrantTable, createTestTokens, testEnvironment } from '@dtplatform/testing';
import { createAccess, createServiceApp, openBackends, serve, serviceSettings } from '../src/index.js';
import type { ServiceConfig } from '../src/index.js';
import { recordingLogger } from './recording-logger.js';

const ServiceConfig = z.object(serviceSettings);
const log = silentLogger();
let lifecycle: Lifecycle;
let config: ServiceConfig;
beforeEach(() => {
  lifecycle = createLifecycle({ log, graceMs: 5000 });
  config = loadConfig(ServiceConfig, testEnvironment('service'));
});
afterEach(() => lifecycle.stop('the test is over'));

const table = routes('/things', [
  route.get('/', {
    operation: 'things.list',
    needs: documents({ rule: 'anyone' }),
    summary: 'List.',
    responses: { 200: null },
    handler: async ({ access }) => ok({ namespaces: await access.namespaces() }),
  }),
]);
const folder = pathToFileURL(`${mkdtempSync(path.join(tmpdir(), 'dtplatform-documents-'))}/`);
writeFileSync(new URL('openapi.json', folder), JSON.stringify({ info: { title: 'Things' } }));
afterAll(() => rmSync(folder, { recursive: true }));
const api = {
  ...{ title: 'Things', description: 'Has things.', documents: folder },
  mounts: [{ prefix: '/svc/api/v1', tables: [table] }],
};

const thingModel = defineModel<{ _id: string }>('things', { _id: id });
const schema = defineSchema({ models: [thingModel], migrations: [] });

async function start() {
  const tokens = await createTestTokens();
  const backends = await openBackends({ name: 'svc', schema }, config, { processName: 'svc', log, lifecycle });
  const grants = createGrantTable(backends.redis);
  const { authenticate } = createAccess(backends, config, { keys: tokens.keys, grants });
  const deps = { ...backends, authenticate, config };
  const app = createServiceApp(api, deps);
  return { tokens, deps, app, grants, http: supertest(app) };
}

describe('a service', () => {
  it('authenticates callers and checks their permissions', async () => {
    const { http, tokens, grants } = await start();
    const userId = `user-${config.MONGO_DB}`;
    await grants.allow(userId, 'ns_1', '*:*:*', ['READ']);
    const authorization = `Bearer ${await tokens.issue({ id: userId })}`;
    const response = await http.get('/svc/api/v1/things').set({ authorization }).expect(200);
    expect(response.body).toEqual({ namespaces: ['ns_1'] });
    await http.get('/svc/api/v1/things').expect(401);
  });

  it('serves its descriptions at its first prefix, without authentication', async () => {
    const { http } = await start();
    const response = await http.get('/svc/api/v1/openapi.json').expect(200);
    expect(response.body).toEqual({ info: { title: 'Things' } });
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    await http.head('/svc/api/v1/openapi.json').expect(200);
    await http.get('/svc/api/v1/asyncapi.json').expect(404);
  });

  it('serves its API and its admin port, is ready once its database is migrated, and closes everything on shutdown', async () => {
    const recording = recordingLogger();
    const { app, deps } = await start();
    await serve({ listener: app, port: 0 }, { ...deps, log: recording.log });
    const [api, admin] = [supertest(recording.urlOf('port')), supertest(recording.urlOf('adminPort'))];
    const before = await admin.get('/readyz').expect(503);
    expect(before.body.checks).toEqual({ mongodb: 'ok', redis: 'ok', migrations: 'failing' });
    const { signal } = new AbortController();
    await migrateDatabase(deps.mongo, schema, { version: 'test', log, signal });
    await admin.get('/readyz').expect(200);
    await api.get('/svc/api/v1/openapi.json').expect(200);
    await deps.mongo.db.dropDatabase();
    await lifecycle.stop('test');
    await expect(api.get('/')).rejects.toThrow(/ECONNREFUSED/);
    await expect(admin.get('/livez')).rejects.toThrow(/ECONNREFUSED/);
    await expect(deps.redis.ping()).rejects.toThrow();
    await expect(deps.mongo.ping()).rejects.toThrow();
  });

  it('starts without its backends, and is unavailable to callers until they respond', async () => {
    config = { ...config, MONGO_URL: 'mongodb://127.0.0.1:9/', REDIS_URL: 'redis://127.0.0.1:9' };
    const { http, tokens } = await start();
    const authorization = `Bearer ${await tokens.issue({ id: 'x' })}`;
    const response = await http.get('/svc/api/v1/things').set({ authorization }).expect(503);
    expect(response.headers['retry-after']).toBe('1');
  });
});
