import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, describe, afterEach } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { ok, route, routes } from '../src/index.js';
import { recordingLogger, startApi } from './start-api.js';

let entered = 0;
let release: () => void = () => undefined;

const table = routes('/work', [
  route.get('/', {
    operation: 'work.get',
    summary: 'At once.',
    auth: 'none',
    replies: { 200: null },
    handler: async () => ok({ done: true }),
  }),
  route.get('/slow', {
    operation: 'work.slow',
    summary: 'Until it is released.',
    auth: 'none',
    replies: { 200: null },
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
/** Steps of the stop that used up their time. */
const failedSteps = () => lines.filter(({ step }) => step !== undefined);

const agent = new Agent({ keepAlive: true });
const get = async (path: string) => {
  const req = request({ port: app.port, host: '127.0.0.1', path: `/api${path}`, agent }).end();
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  return { status: res.statusCode, body: await text(res) };
};

describe('a stop', () => {
  it('ends idle connections at once and takes no new ones', async () => {
    app = await startApi([table], { log });
    await get('/work');
    await app.stop();
    expect(failedSteps()).toEqual([]);
    await expect(app.send('/api/work')).rejects.toThrow(/ECONNREFUSED/);
  });

  it('lets running requests end, and then their connections, though these could be kept', async () => {
    app = await startApi([table], { log });
    entered = 0;
    const running = get('/work/slow');
    await eventually(() => expect(entered).toBe(1));
    let stopped = false;
    const stopping = app.stop().then(() => (stopped = true));
    await eventually(() => expect(app.send('/api/work')).rejects.toThrow(/ECONNREFUSED/));
    expect(stopped).toBe(false);
    release();
    expect(await running).toEqual({ status: 200, body: '{"done":true}' });
    await stopping;
    expect(failedSteps()).toEqual([]);
  });

  it('does not wait for a connection on which nothing was ever sent', async () => {
    app = await startApi([table], { log });
    const socket = connect(app.port, '127.0.0.1').resume();
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    await app.stop();
    await closed;
    expect(failedSteps()).toEqual([]);
  });
});

describe('what is no HTTP', () => {
  const answerTo = async (bytes: string) => {
    const socket: Socket = connect(app.port, '127.0.0.1');
    socket.write(bytes);
    const reply = await text(socket);
    const [head = '', body = ''] = reply.split('\r\n\r\n');
    return { head, error: JSON.parse(body) as { status: number; code: string; requestId: string } };
  };

  it.each([
    ['a broken request line', 'what is this\r\n\r\n', 400],
    ['an unknown method', 'FOO / HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['a broken header', 'GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 400],
    ['headers that are too long', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(40_000)}\r\n\r\n`, 431],
  ])('(%s) is a 4xx in the platform’s format', async (_what, bytes, status) => {
    app = await startApi([table], { log });
    const { head, error } = await answerTo(bytes);
    expect(head).toContain(`HTTP/1.1 ${status}`);
    expect(head.toLowerCase()).toContain('connection: close');
    expect(error).toEqual({
      status,
      code: expect.any(String),
      message: expect.any(String),
      requestId: expect.any(String),
    });
  });

  it('does not disturb others', async () => {
    app = await startApi([table], { log });
    const socket = connect(app.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.resetAndDestroy();
    expect((await get('/work')).status).toBe(200);
  });
});

it('a port that is taken is an error of the start', async () => {
  app = await startApi([table], { log });
  const { listen } = await import('../src/index.js');
  const options = { name: 'api', host: '127.0.0.1', port: app.port, lifecycle: app.lifecycle };
  await expect(listen(() => undefined, options)).rejects.toThrow(/EADDRINUSE/);
});
