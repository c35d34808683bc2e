import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeEach, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { currentCall } from '@dtplatform/telemetry';
import type { Call } from '@dtplatform/telemetry';
import { eventually } from '@dtplatform/testing';
import { noContent, route, routes, streamed } from '../src/index.js';
import { anybody, recordingLogger, startApi } from './start-api.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
const { log, lines } = recordingLogger();
const registry = new Registry();
let call: Call | undefined;

const things = routes('/things', [
  route.get('/', {
    ...anybody('things.list'),
    responses: { 204: null },
    handler: async (context) => {
      call = currentCall();
      context.log.warn('from the handler');
      return noContent();
    },
  }),
  route.get('/gone', {
    ...anybody('things.refuse'),
    responses: { 204: null },
    errors: [commonErrors.notFound],
    handler: () => Promise.reject(commonErrors.notFound()),
  }),
  route.post('/json', {
    ...anybody('things.create'),
    body: z.object({}),
    responses: { 204: null },
    handler: async () => noContent(),
  }),
  route.post('/bytes', {
    ...anybody('things.upload'),
    responses: { 204: null },
    async handler({ req }) {
      await buffer(req);
      return noContent();
    },
  }),
  route.post('/slow', {
    ...anybody('things.compute'),
    responses: { 204: null },
    async handler({ signal }) {
      await delay(60_000, undefined, { signal });
      return noContent();
    },
  }),
  route.get('/content', {
    ...anybody('things.download'),
    responses: { 200: { contentType: '*/*', description: 'bytes' } },
    handler: async () => streamed(200, endless(), {}),
  }),
]);

const endless = () =>
  new Readable({
    read() {
      this.push(Buffer.alloc(64 * 1024));
    },
  });

const app = await startApi([things], { log, registry });
afterAll(() => app.stop());
beforeEach(() => void lines.splice(0));

const linesOf = (requestId: string, count: number) =>
  eventually(() => {
    const mine = lines.filter((line) => line.requestId === requestId);
    expect(mine).toHaveLength(count);
    return mine;
  });

it("continues the caller's trace, in the handler and in all log lines, which omit the query", async () => {
  await app.api.get('/api/things?access_token=hidden').set({ 'x-request-id': 'r-1', traceparent }).expect(204);
  expect(call).toEqual({ requestId: 'r-1', traceId, traceparent });
  const [handler, request] = await linesOf('r-1', 2);
  expect(handler).toMatchObject({ traceId, msg: 'from the handler' });
  const line = { method: 'GET', path: '/api/things', operation: 'things.list', status: 204 };
  expect(request).toMatchObject({ traceId, ...line });
  expect(request).not.toHaveProperty('code');
  expect(JSON.stringify(request)).not.toContain('hidden');
});

it('does not log tokens of links', async () => {
  const token = randomBytes(32).toString('base64url');
  await app.api.get(`/api/things/${token}/accept`).set({ 'x-request-id': 'r-link' }).expect(404);
  const [request] = await linesOf('r-link', 1);
  expect(request).toMatchObject({ path: '/api/things/(token)/accept' });
  expect(JSON.stringify(request)).not.toContain(token);
});

it('starts a trace for a request without one', async () => {
  const response = await app.api.get('/api/things').expect(204);
  expect(call).toMatchObject({
    requestId: response.headers['x-request-id'],
    traceId: expect.stringMatching(/^[\da-f]{32}$/),
  });
});

it('logs the code of an error in the one line of its request', async () => {
  await app.api.get('/api/things/gone').set('x-request-id', 'r-2').expect(404);
  await app.api.get('/api/nowhere').set('x-request-id', 'r-3').expect(404);
  expect(await linesOf('r-2', 1)).toMatchObject([
    { level: 'info', operation: 'things.refuse', status: 404, code: 'NOT_FOUND' },
  ]);
  expect(await linesOf('r-3', 1)).toMatchObject([{ operation: 'none', status: 404, code: 'NOT_FOUND' }]);
});

it.each([
  ['POST /api/things/json', 'things.create', (socket: Socket) => socket.resetAndDestroy()],
  ['POST /api/things/bytes', 'things.upload', (socket: Socket) => socket.end()],
  ['POST /api/things/bytes', 'things.upload', (socket: Socket) => socket.write('no chunk\r\n')],
  ['POST /api/things/slow', 'things.compute', (socket: Socket) => socket.end()],
  ['POST /api/things/slow', 'things.compute', (socket: Socket) => socket.resetAndDestroy()],
  ['GET /api/things/content', 'things.download', (socket: Socket) => socket.resetAndDestroy()],
])(
  'logs and counts a caller who disconnects as such, and never as an error: %s %s %s',
  async (line, operation, hangUp) => {
    const socket = connect(app.port, '127.0.0.1');
    const body = line.startsWith('GET') ? '' : 'transfer-encoding: chunked\r\n\r\n1\r\n{\r\n';
    const arrived = once(app.server, 'request');
    socket.write(`${line} HTTP/1.1\r\nhost: x\r\nx-request-id: r-gone\r\n${body || '\r\n'}`);
    if (body) await arrived;
    else await once(socket, 'data');
    hangUp(socket);
    const request = await eventually(() => {
      const found = lines.find((each) => each.operation === operation);
      expect(found).toMatchObject({ level: 'info', status: 499, code: 'CALLER_DISCONNECTED' });
      return found!;
    });
    expect(request.requestId).toBe('r-gone');
    // The handler's error comes after the end of the connection.
    await delay(0);
    expect(lines.filter(({ level }) => level !== 'info')).toEqual([]);
    expect(await registry.metrics()).not.toMatch(/http_request_duration_seconds_count\{[^}]*status="5/);
    socket.destroy();
  },
);
