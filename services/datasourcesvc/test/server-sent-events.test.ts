import { request } from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { createHttpApp, documents, listen, ok, portOf, route, routes } from '@dtplatform/http';
import type { Authenticate, RouteTable } from '@dtplatform/http';
import { createLifecycle } from '@dtplatform/lifecycle';
import type { Lifecycle } from '@dtplatform/lifecycle';
import { silentLogger } from '@dtplatform/logging';
import type { Access } from '@dtplatform/permissions';
import { currentBounds, currentCall } from '@dtplatform/telemetry';
import { eventually } from '@dtplatform/testing';
import { createEventStreams, wantsEvents } from '../src/orchrun/server-sent-events.http.js';
import type { EventStreamLimits, NextEvent } from '../src/orchrun/server-sent-events.http.js';

type Api = Awaited<ReturnType<typeof startApi>>;

/** More than the buffers of a connection. */
const large = 'x'.repeat(24 * 1024 * 1024);
const log = silentLogger();
const stops: (() => Promise<unknown>)[] = [];
const open: IncomingMessage[] = [];

/** Any token belongs to the caller whom it names. */
const authenticate: Authenticate = async ({ headers }) => ({ principal: { id: headers.authorization } }) as Access;

async function startApi(tableOf: (lifecycle: Lifecycle) => RouteTable) {
  const lifecycle = createLifecycle({ log, graceMs: 3000 });
  const mounts = [{ prefix: '/api', tables: [tableOf(lifecycle)] }];
  const app = createHttpApp({ authenticate, log, mounts, checksDeclarations: true });
  const server = await listen(app, { name: 'api', host: '127.0.0.1', port: 0, lifecycle });
  const stop = () => lifecycle.stop('the test is over');
  stops.push(stop);
  return { server, port: portOf(server), stop };
}

/** A server whose streams call `next`. */
const start = (next: NextEvent, more: Partial<EventStreamLimits> = {}) =>
  startApi((lifecycle) => {
    const limits = { everyMs: 10, ...more };
    const streams = createEventStreams({ isStopping: () => lifecycle.stopping, log, limits });
    return routes('/events', [
      route.get('/', {
        operation: 'events.watch',
        summary: 'Watch.',
        needs: documents({ rule: 'anyone' }),
        responses: { 200: { contentType: 'text/event-stream', description: 'Events.' } },
        errors: [commonErrors.tooManyRequests],
        handler: async ({ req, res, access }) => streams.open({ req, res, caller: access.principal.id }, next),
      }),
    ]);
  });

/** Connects without reading. */
const connect = ({ port }: Api, caller = 'a', more: RequestOptions = {}) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { authorization: `Bearer user-${caller}`, 'x-request-id': 'the-request' };
    const options = { host: '127.0.0.1', port, path: '/api/events', headers, agent: false, ...more };
    const req = request(options, (res) => {
      open.push(res);
      res.on('error', () => undefined);
      resolve(res);
    });
    req.on('error', reject).end();
  });
const read = async (api: Api, caller?: string) => text(await connect(api, caller));
const event = (id: number, data: unknown = id) => ({ event: { event: 'state', id: String(id), data } });

afterEach(async () => {
  for (const res of open.splice(0)) res.destroy();
  for (const stop of stops.splice(0)) await stop();
});

describe('server-sent events', () => {
  it('are sent as they come, until the last one', async () => {
    const answers = [event(1, { text: 'a\nb' }), {}, {}, { ...event(2), isLast: true }];
    const api = await start(async () => answers.shift()!);
    const res = await connect(api);
    expect(res.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(await text(res)).toBe(
      'retry: 1000\n\nid: 1\nevent: state\ndata: {"text":"a\\nb"}\n\nid: 2\nevent: state\ndata: 2\n\n',
    );
  });

  it('keep an idle connection alive with comments', async () => {
    const api = await start(async () => ({}), { heartbeatMs: 15, maxMs: 500 });
    expect(await read(api)).toMatch(/^retry: 1000\n\n(:\n\n){2,}$/);
  });

  it('end with the rejection of the caller, and reveal no other error', async () => {
    const warn = jest.spyOn(log, 'warn');
    let calls = 0;
    const api = await start(async () => {
      if (++calls < 4) throw new Error('secret');
      throw commonErrors.notFound();
    });
    const received = await read(api);
    expect(received).toBe(
      'retry: 1000\n\nevent: error\ndata: {"status":404,"code":"NOT_FOUND","message":"The resource does not exist, or the caller has no access to it.","requestId":"the-request","documentation":"/docs/guides/errors#not_found"}\n\n',
    );
    expect(warn.mock.calls).toEqual([[expect.anything(), 'an event stream is waiting']]);
  });

  it("are requested in the context of the call, but outside of its request's bounds", async () => {
    const api = await start(async () => ({
      ...event(1, [currentCall()?.requestId, currentBounds() === undefined]),
      isLast: true,
    }));
    expect(await read(api)).toContain('data: ["the-request",true]');
  });

  it('are limited by caller and by process', async () => {
    const api = await start(async () => ({}), { maxStreams: 17 });
    const statusOf = async (caller: string) => (await connect(api, caller)).statusCode;
    for (let n = 0; n < 16; n++) expect(await statusOf('a')).toBe(200);
    expect([await statusOf('a'), await statusOf('b'), await statusOf('b')]).toEqual([429, 200, 503]);
    open[0]!.destroy();
    await eventually(async () => expect(await statusOf('c')).toBe(200));
  });

  it('end after their maximum time, and when the process stops', async () => {
    const api = await start(async () => ({}), { maxMs: 50 });
    expect(await read(api)).toBe('retry: 1000\n\n');
    const other = await start(async () => ({}));
    const received = read(other);
    await eventually(() => expect(open).toHaveLength(2));
    await other.stop();
    expect(await received).toBe('retry: 1000\n\n');
  });

  it('wait for a slow client with one event in memory, and cut off one that does not read', async () => {
    let asked = 0;
    let reserved = 0;
    const api = await start(
      async (reserve) => {
        asked += 1;
        await reserve(large.length);
        reserved += 1;
        return event(asked, large);
      },
      { stallMs: 300, bufferBytes: large.length },
    );
    const slow = await connect(api);
    slow.pause();
    await eventually(() => expect(reserved).toBe(1));
    // The memory is taken until the first one has been cut off.
    const other = await connect(api, 'b');
    other.resume();
    await eventually(() => expect(reserved).toBeGreaterThan(1), { timeoutMs: 10_000 });
    const closed = new Promise((resolve) => slow.once('close', resolve));
    slow.resume();
    await closed;
    expect(slow.complete).toBe(false);
  });

  it('send heartbeats and can end while they wait for memory', async () => {
    let asked = 0;
    let reserved = 0;
    const reserveAll: NextEvent = async (reserve) => {
      asked += 1;
      await reserve(large.length);
      reserved += 1;
      return event(1, large);
    };
    /** A server whose first client holds all the memory. */
    const startFull = async (limits: Partial<EventStreamLimits>) => {
      reserved = 0;
      const api = await start(reserveAll, { stallMs: 60_000, bufferBytes: large.length, ...limits });
      (await connect(api)).pause();
      await eventually(() => expect(reserved).toBe(1));
      return api;
    };
    const api = await startFull({ heartbeatMs: 15, maxMs: 500 });
    for (const _time of ['once', 'twice']) expect(await read(api, 'b')).toMatch(/^retry: 1000\n\n(:\n\n){2,}$/);

    const other = await startFull({});
    asked = 0;
    const received = read(other, 'b');
    await eventually(() => expect(asked).toBe(1));
    const stopped = other.stop();
    expect(await received).toBe('retry: 1000\n\n');
    await stopped;
  });

  it('cut off a client that does not accept the last event', async () => {
    const api = await start(async () => ({ ...event(1, large), isLast: true }), { stallMs: 200 });
    const slow = await connect(api);
    slow.pause();
    const closed = new Promise((resolve) => slow.once('close', resolve));
    await eventually(async () => {
      const count = await new Promise((resolve) => api.server.getConnections((_error, open) => resolve(open)));
      expect(count).toBe(0);
    });
    slow.resume();
    await closed;
    expect(slow.complete).toBe(false);
  });

  it('have no body in the response to HEAD', async () => {
    const api = await start(async () => ({}), { maxOfCaller: 1 });
    expect(await text(await connect(api, 'a', { method: 'HEAD' }))).toBe('');
    await eventually(async () => expect((await connect(api)).statusCode).toBe(200));
  });
});

describe('the preference for an event stream', () => {
  const either = { summary: 'Read.', auth: 'none' as const, responses: { 200: z.string() } };
  const table = routes('/either', [
    route.get('/', {
      ...either,
      operation: 'either.get',
      when: (request) => !wantsEvents(request),
      handler: async () => ok('json'),
    }),
    route.get('/', { ...either, operation: 'either.watch', handler: async () => ok('events') }),
  ]);

  it('comes from the header Accept, and defaults to JSON', async () => {
    const api = await startApi(() => table);
    // `fetch` always sends the header.
    const preferred = async (accept?: string) => {
      const headers = accept === undefined ? {} : { accept };
      return JSON.parse(await text(await connect(api, 'a', { path: '/api/either', headers }))) as unknown;
    };
    const expected = {
      'text/event-stream': 'events',
      'Text/Event-Stream; charset=utf-8': 'events',
      'text/event-stream, application/json;q=0.9': 'events',
      'application/json;q=0.1, text/event-stream; charset="utf-8"; q=0.9': 'events',
      'text/*': 'events',
      'application/json;q=0.5, text/event-stream;q=0.4': 'json',
      'text/event-stream; q=0.1, application/json; charset=utf-8': 'json',
      'application/json, text/event-stream': 'json',
      '*/*, text/event-stream;q=0': 'json',
      'application/x-not-text/event-stream': 'json',
      '*/*': 'json',
      'image/png': 'json',
    };
    for (const [accept, kind] of Object.entries(expected))
      expect([accept, await preferred(accept)]).toEqual([accept, kind]);
    expect(await preferred()).toBe('json');
  });
});
