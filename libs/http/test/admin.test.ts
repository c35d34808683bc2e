import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Counter, Registry } from 'prom-client';
import supertest from 'supertest';
import { createLifecycle } from '@dtplatform/lifecycle';
import type { Lifecycle } from '@dtplatform/lifecycle';
import { silentLogger } from '@dtplatform/logging';
import { adminListener, createReadiness, listen, ok, portOf, route, routes } from '../src/index.js';
import type { ReadinessChecks } from '../src/index.js';
import { anybody, recordingLogger, startApi } from './start-api.js';

let lifecycle: Lifecycle;
beforeEach(() => {
  lifecycle = createLifecycle({ log: silentLogger(), graceMs: 1000 });
});
afterEach(() => lifecycle.stop('the test is over'));

async function admin(checks: ReadinessChecks, { registry = new Registry(), log = silentLogger() } = {}) {
  const listener = adminListener({ readiness: createReadiness({ lifecycle, checks, log }), registry });
  const server = await listen(listener, { name: 'admin', host: '127.0.0.1', port: 0, lifecycle });
  return supertest(`http://127.0.0.1:${portOf(server)}`);
}

const failing = () => {
  throw new Error('secret address');
};

describe('/readyz', () => {
  it('returns 200 when every backend responds', async () => {
    const api = await admin({ mongodb: async () => undefined, redis: async () => 'PONG' });
    const response = await api.get('/readyz').expect(200);
    expect(response.body).toEqual({ status: 'ok', stopping: false, checks: { mongodb: 'ok', redis: 'ok' } });
    expect(response.headers['cache-control']).toBe('no-store');
  });

  it.each<[string, () => Promise<unknown>]>([
    ['refuses', () => Promise.reject(new Error('secret address'))],
    ['does not answer', () => delay(60_000, undefined, { ref: false })],
    ['is checked by a function that throws', failing],
  ])('returns a 503 that names the backend when one %s, while /livez stays 200', async (_what, check) => {
    const api = await admin({ mongodb: async () => undefined, redis: check });
    const response = await api.get('/readyz').expect(503);
    expect(response.body).toEqual({
      status: 'not ready',
      stopping: false,
      checks: { mongodb: 'ok', redis: 'failing' },
    });
    expect(response.headers['retry-after']).toBe('1');
    expect(response.text).not.toContain('secret');
    await api.get('/livez').expect(200);
  });

  it('logs a failed check once with its reason, and its recovery once', async () => {
    let isAway = true;
    const { log, lines } = recordingLogger();
    const check = () => (isAway ? Promise.reject(new Error('the key is wrong')) : Promise.resolve());
    const api = await admin({ s3: check }, { log });
    await api.get('/readyz').expect(503);
    await api.get('/readyz').expect(503);
    isAway = false;
    await api.get('/readyz').expect(200);
    await api.get('/readyz').expect(200);
    expect(lines).toMatchObject([
      { level: 'warn', check: 's3', err: { message: 'the key is wrong' }, msg: 'readiness check failed' },
      { level: 'info', check: 's3', msg: 'readiness check recovered' },
    ]);
  });

  it('returns 503 as soon as the process begins to stop', async () => {
    const api = await admin({ redis: async () => undefined });
    let probe: Promise<supertest.Response> | undefined;
    lifecycle.onStop('probe', async () => {
      probe = Promise.resolve(api.get('/readyz'));
      await probe;
    });
    await lifecycle.stop('test');
    expect((await probe)!.status).toBe(503);
    expect((await probe)!.body).toMatchObject({ stopping: true });
  });
});

describe('/metrics', () => {
  it('includes process metrics and registered metrics', async () => {
    const registry = new Registry();
    new Counter({ name: 'things_total', help: 'Things.', registers: [registry] }).inc(3);
    const response = await (await admin({}, { registry })).get('/metrics').expect(200);
    expect(response.headers['content-type']).toContain('text/plain');
    expect(response.text).toContain('things_total 3');
    expect(response.text).toContain('process_cpu_seconds_total');
  });

  it('includes how late timers ran since the last scrape', async () => {
    const registry = new Registry();
    await admin({}, { registry });
    await delay(250); // a process that was just busy is measured often
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    await delay(10);
    const lagOf = async (figure: string) => {
      const name = `nodejs_eventloop_lag_${figure}_seconds`;
      return Number(new RegExp(`^${name} (.*)$`, 'm').exec(await registry.metrics())?.[1]);
    };
    expect(await lagOf('p99')).toBeGreaterThan(0.4);
    expect(await lagOf('max')).toBeLessThan(0.4);
  });

  it('includes the duration of each request by operation and status', async () => {
    const registry = new Registry();
    const table = routes('/things', [route.get('/:id', { ...anybody('things.get'), handler: async () => ok(1) })]);
    const app = await startApi([table], { registry });
    await app.api.get('/api/things/1').expect(200);
    await app.api.get('/api/things/2').expect(200);
    await app.api.get('/api/nothing/3').expect(404);
    await app.stop();
    const text = await registry.metrics();
    expect(text).toContain('http_request_duration_seconds_count{operation="things.get",status="200"} 2');
    expect(text).toContain('http_request_duration_seconds_count{operation="none",status="404"} 1');
  });
});

describe('admin port', () => {
  it('serves nothing else', async () => {
    const api = await admin({});
    await api.get('/').expect(404);
    await api.get('/constructor').expect(404);
    await api.get('/livez?x=1').expect(200);
  });
});
