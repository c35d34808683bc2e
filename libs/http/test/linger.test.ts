import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import { createLifecycle } from '@dtplatform/lifecycle';
import { silentLogger } from '@dtplatform/logging';
import { linger } from '../src/bare-server.js';
import { createHttpApp, listen, ok, portOf, route, routes } from '../src/index.js';
import type { Authenticate } from '../src/index.js';

describe('a body that is rejected before it is read', () => {
  const log = silentLogger();
  const lifecycle = createLifecycle({ log, graceMs: 1000 });
  const authenticate: Authenticate = () => Promise.reject(new Error('nobody is asked'));
  let port: number;

  beforeAll(async () => {
    const table = routes('/echo', [
      route.post('/', {
        operation: 'echo.create',
        summary: 'Echo.',
        auth: 'none',
        body: z.unknown(),
        responses: { 200: z.unknown() },
        handler: async ({ body }) => ok(body),
      }),
    ]);
    const app = createHttpApp({
      mounts: [{ prefix: '', tables: [table] }],
      authenticate,
      log,
      checksDeclarations: true,
    });
    port = portOf(await listen(app, { name: 'test', host: '127.0.0.1', port: 0, lifecycle }));
  });
  afterAll(() => lifecycle.stop('the test is over'));

  it('does not cost the caller its response, even if it reads only after sending everything', async () => {
    const size = 32 * 1024 * 1024;
    const socket = connect(port, '127.0.0.1');
    socket.pause();
    socket.write(`POST /echo HTTP/1.1\r\nhost: test\r\ncontent-length: ${size}\r\n\r\n`);
    const chunk = Buffer.alloc(1024 * 1024, 0x20);
    for (let sent = 0; sent < size; sent += chunk.length) if (!socket.write(chunk)) await once(socket, 'drain');

    let answer = '';
    for await (const part of socket) answer += String(part);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toMatch(/connection: close/i);
    expect(answer).toContain('PAYLOAD_TOO_LARGE');
  });
});

describe('the rest of a rejected body', () => {
  let req: PassThrough;
  let ended: boolean;
  /** Advances the clock, then a byte arrives. */
  const arriveAfter = async (ms: number) => {
    await jest.advanceTimersByTimeAsync(ms);
    req.write('x');
    await new Promise((resolve) => setImmediate(resolve));
  };

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    [req, ended] = [new PassThrough(), false];
    void linger(req).then(() => (ended = true));
  });
  afterEach(() => void jest.useRealTimers());

  it('is read for at most ten seconds, however slowly it arrives', async () => {
    for (let sec = 1; sec < 10; sec++) await arriveAfter(1_000);
    expect(ended).toBe(false);
    await arriveAfter(1_000);
    expect(ended).toBe(true);
  });

  it('is abandoned when nothing arrives', async () => {
    await arriveAfter(1_500);
    await arriveAfter(1_500);
    expect(ended).toBe(false);
    await arriveAfter(2_000);
    expect(ended).toBe(true);
  });
});
