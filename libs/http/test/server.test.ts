import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { listen, ok, route, routes } from '../src/index.js';
import { anybody, recordingLogger, startApi } from './start-api.js';

let entered = 0;
let release: () => void = () => undefined;

const table = routes('/work', [
  route.get('/', { ...anybody('work.get'), handler: async () => ok({ done: true }) }),
  route.get('/slow', {
    ...anybody('work.slow'),
    handler: async () => {
      entered += 1;
      await new Promise<void>((resolve) => (release = resolve));
      return ok({ done: true });
    },
  }),
]);

let app: Awaited<ReturnType<typeof startApi>>;
afterEach(() => app.stop());

const { log, lines } = recordingLogger();
/** Shutdown steps that timed out. */
const failedSteps = () => lines.filter(({ step }) => step !== undefined);

const agent = new Agent({ keepAlive: true });
const get = async (path: string, through = agent) => {
  const req = request({ port: app.port, host: '127.0.0.1', path: `/api${path}`, agent: through }).end();
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  return { status: res.statusCode, headers: res.headers, body: await text(res) };
};

it("creates requests and responses with Express's prototypes, so that Express replaces none", async () => {
  let prototypes: object[] = [];
  const prototypesOf = (...objects: object[]) => objects.map((object) => Object.getPrototypeOf(object) as object);
  const table = routes('/own', [
    route.get('/', {
      ...anybody('own.get'),
      handler: async ({ req, res }) => ok({ same: prototypesOf(req, res).map((own, n) => own === prototypes[n]) }),
    }),
  ]);
  app = await startApi([table]);
  app.server.prependListener('request', (...messages) => (prototypes = prototypesOf(...messages)));

  await app.api.get('/api/own').expect(200, { same: [true, true] });
});

describe('shutdown', () => {
  it('closes idle connections at once and accepts no new ones', async () => {
    app = await startApi([table], { log });
    await get('/work');
    await app.stop();
    expect(failedSteps()).toEqual([]);
    await expect(app.send('/api/work')).rejects.toThrow(/ECONNREFUSED/);
  });

  it('accepts requests for a while, with responses that close their connections', async () => {
    app = await startApi([table], { log, server: { drainMs: 2_000 } });
    await get('/work');
    const stopping = app.stop();
    for (const which of [agent, new Agent()]) {
      const { status, headers } = await get('/work', which);
      expect([status, headers.connection]).toEqual([200, 'close']);
    }
    await stopping;
    await expect(app.send('/api/work')).rejects.toThrow(/ECONNREFUSED/);
    expect(failedSteps()).toEqual([]);
  });

  it('finishes running requests, then closes their connections even if they are kept alive', async () => {
    app = await startApi([table], { log });
    entered = 0;
    const running = get('/work/slow');
    await eventually(() => expect(entered).toBe(1));
    let stopped = false;
    const stopping = app.stop().then(() => (stopped = true));
    await eventually(() => expect(app.send('/api/work')).rejects.toThrow(/ECONNREFUSED/));
    expect(stopped).toBe(false);
    release();
    expect(await running).toMatchObject({ status: 200, body: '{"done":true}', headers: { connection: 'close' } });
    await stopping;
    expect(failedSteps()).toEqual([]);
  });

  it('does not wait for a connection without a request', async () => {
    app = await startApi([table], { log });
    const socket = connect(app.port, '127.0.0.1').resume();
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    await app.stop();
    await closed;
    expect(failedSteps()).toEqual([]);
  });
});

describe('a request that never arrives', () => {
  async function beginRequest() {
    app = await startApi([table], { log });
    const accepted = once(app.server, 'connection');
    const socket = connect(app.port, '127.0.0.1');
    socket.write('GET /api/work HTTP/1.1\r\nhost:');
    const [accepting] = (await accepted) as [Socket];
    await eventually(() => expect(accepting.bytesRead).toBeGreaterThan(0));
    return socket;
  }

  it('does not delay a shutdown for the whole header timeout', async () => {
    const socket = await beginRequest();
    await app.stop();
    expect(failedSteps()).toEqual([]);
    socket.destroy();
  });

  it('gets a response if the rest arrives in time', async () => {
    const socket = await beginRequest();
    const stopping = app.stop();
    await eventually(() => expect(app.send('/api/work')).rejects.toThrow(/ECONNREFUSED/));
    socket.write(' x\r\n\r\n');
    expect(await text(socket)).toContain('HTTP/1.1 200');
    await stopping;
  });
});

describe('a connection', () => {
  it('that is old closes after its next response, so that its caller reaches another replica', async () => {
    app = await startApi([table], { log, server: { maxConnectionAgeMs: 0 } });
    expect((await get('/work')).headers.connection).toBe('close');
  });

  it('is otherwise kept alive, for longer than load balancers do', async () => {
    app = await startApi([table], { log });
    const { headers } = await get('/work');
    expect(headers.connection).toBe('keep-alive');
    expect(Number(/^timeout=(\d+)$/.exec(String(headers['keep-alive']))?.[1])).toBeGreaterThan(90);
  });

  it('may also be idle that long before its first request', async () => {
    app = await startApi([table], { log, server: { keepAliveMs: 620_000 } });
    expect((await get('/work')).headers['keep-alive']).toBe('timeout=620');
    expect(app.server.headersTimeout).toBeGreaterThan(620_000);
    const accepted = once(app.server, 'connection');
    const ahead = connect(app.port, '127.0.0.1');
    const [socket] = (await accepted) as [Socket];
    expect(socket.timeout).toBeGreaterThan(620_000);
    ahead.write('GET /api/work/slow HTTP/1.1\r\nhost: x\r\n\r\n');
    entered = 0;
    await eventually(() => expect(entered).toBe(1));
    expect(socket.timeout).toBeLessThanOrEqual(120_000);
    release();
    ahead.destroy();
  });
});

describe('a request that is not HTTP', () => {
  it.each([
    ['an unknown method', 'FOO / HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 400],
    ['no host', 'GET /api/work HTTP/1.1\r\n\r\n', 400],
    ['a tunnel', 'CONNECT x:80 HTTP/1.1\r\nhost: x:80\r\n\r\n', 405],
    ['headers that are too long', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(40_000)}\r\n\r\n`, 431],
    ['a URL that is far too long', `GET /${'a'.repeat(1_000_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 431],
  ])('(%s) is a 4xx in the platform’s format', async (_what, bytes, status) => {
    app = await startApi([table], { log });
    const socket = connect(app.port, '127.0.0.1');
    socket.write(bytes);
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    const error = JSON.parse(body) as { requestId: string };
    expect(head).toContain(`HTTP/1.1 ${status}`);
    expect(head.toLowerCase()).toContain('connection: close');
    expect(head).toContain(`x-request-id: ${error.requestId}`);
    expect(error).toEqual({
      status,
      code: expect.any(String),
      message: expect.any(String),
      requestId: expect.any(String),
      documentation: expect.stringMatching(/^\/docs\/guides\/errors#[a-z_]+$/),
    });
  });

  it('does not disturb other requests', async () => {
    app = await startApi([table], { log });
    const socket = connect(app.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.resetAndDestroy();
    expect((await get('/work')).status).toBe(200);
  });
});

it('fails to start on a port that is in use', async () => {
  app = await startApi([table], { log });
  const options = { name: 'api', host: '127.0.0.1', port: app.port, lifecycle: app.lifecycle };
  await expect(listen(() => undefined, options)).rejects.toThrow(/EADDRINUSE/);
});
