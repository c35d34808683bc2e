import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { install, type Clock } from '@sinonjs/fake-timers';
import { z } from 'zod';
import { linger } from '../src/bare-server.js';
import { ok, route, routes } from '../src/index.js';
import { anybody, startApi } from './start-api.js';

describe('a body that is rejected before it is read', () => {
  const echo = route.post('/', {
    ...anybody('echo.create'),
    body: z.unknown(),
    handler: async ({ body }) => ok(body),
  });

  it('does not cost the caller its response, even if it reads only after sending everything', async () => {
    const size = 32 * 1024 * 1024;
    const { port, stop } = await startApi([routes('/echo', [echo])]);
    const socket = connect(port, '127.0.0.1');
    socket.pause();
    socket.write(`POST /api/echo HTTP/1.1\r\nhost: test\r\ncontent-length: ${size}\r\n\r\n`);
    const chunk = Buffer.alloc(1024 * 1024, 0x20);
    for (let sent = 0; sent < size; sent += chunk.length) if (!socket.write(chunk)) await once(socket, 'drain');

    let answer = '';
    for await (const part of socket) answer += String(part);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toMatch(/connection: close/i);
    expect(answer).toContain('PAYLOAD_TOO_LARGE');
    await stop();
  });
});

describe('the rest of a rejected body', () => {
  let req: PassThrough;
  let ended: boolean;
  let clock: Clock;
  /** Advances the clock, then a byte arrives. */
  const arriveAfter = async (ms: number) => {
    await clock.tickAsync(ms);
    req.write('x');
    await new Promise((resolve) => setImmediate(resolve));
  };

  beforeEach(() => {
    clock = install({ toNotFake: ['nextTick', 'setImmediate'] });
    [req, ended] = [new PassThrough(), false];
    void linger(req).then(() => (ended = true));
  });
  afterEach(() => clock.uninstall());

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
