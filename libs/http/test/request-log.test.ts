import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { commonErrors } from '@dtplatform/errors';
import { currentCall } from '@dtplatform/telemetry';
import type { Call } from '@dtplatform/telemetry';
import { eventually } from '@dtplatform/testing';
import { noContent, route, routes } from '../src/index.js';
import { recordingLogger, startApi } from './start-api.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
const { log, lines } = recordingLogger();
let call: Call | undefined;

const things = routes('/things', [
  route.get('/', {
    operation: 'things.list',
    summary: 'List.',
    auth: 'none',
    replies: { 204: null },
    handler: async (context) => {
      call = currentCall();
      context.log.warn('from the handler');
      return noContent();
    },
  }),
  route.get('/gone', {
    operation: 'things.refuse',
    summary: 'Refuse.',
    auth: 'none',
    replies: { 204: null },
    errors: [commonErrors.notFound],
    handler: () => Promise.reject(commonErrors.notFound()),
  }),
]);

let app: Awaited<ReturnType<typeof startApi>>;
beforeAll(async () => {
  app = await startApi([things], { log });
});
afterAll(() => app.stop());
beforeEach(() => void lines.splice(0));

const linesOf = (requestId: string, count: number) =>
  eventually(() => {
    const mine = lines.filter((line) => line.requestId === requestId);
    expect(mine).toHaveLength(count);
    return mine;
  });

it('continues the trace of the caller, in the handler and in all log lines', async () => {
  await app.api.get('/api/things').set({ 'x-request-id': 'r-1', traceparent }).expect(204);
  expect(call).toEqual({ requestId: 'r-1', traceId, traceparent });
  const [handler, request] = await linesOf('r-1', 2);
  expect(handler).toMatchObject({ traceId, msg: 'from the handler' });
  expect(request).toMatchObject({ traceId, operation: 'things.list', status: 204 });
  expect(request).not.toHaveProperty('code');
});

it('does not log tokens of links', async () => {
  const token = randomBytes(32).toString('base64url');
  await app.api.get(`/api/things/${token}/accept`).set({ 'x-request-id': 'r-link' }).expect(404);
  const [request] = await linesOf('r-link', 1);
  expect(request).toMatchObject({ path: '/api/things/(token)/accept' });
  expect(JSON.stringify(request)).not.toContain(token);
});

it('starts a trace for a request without one', async () => {
  const reply = await app.api.get('/api/things').expect(204);
  expect(call).toMatchObject({
    requestId: reply.headers['x-request-id'],
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
