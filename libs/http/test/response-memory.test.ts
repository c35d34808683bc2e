import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { MIB, read, startReadingApi } from './reading-api.js';

const api = await startReadingApi();
afterAll(() => api.stop());
beforeEach(() => api.reset());

describe('large responses that callers do not read', () => {
  const open = (caller: string) =>
    request({ port: api.port, path: '/api/things', headers: { authorization: `Bearer user-${caller}` } })
      .end()
      .on('error', () => undefined);
  const response = (req: ReturnType<typeof open>) => new Promise((resolve) => req.once('response', resolve));
  const readLarge = async () => {
    await read(10);
    return 'x'.repeat(10 * MIB);
  };
  /**
   * Repeats, because a large response to another caller may be cut off until the server notices disconnected callers.
   */
  const expectLarge = async (caller: string) => {
    api.read = readLarge;
    await eventually(async () => expect((await api.get(caller)).body.length).toBe(10 * MIB + 2));
  };
  const expectAnswered = async (caller: string) => {
    api.read = () => read(10);
    expect((await api.get(caller)).status).toBe(200);
  };
  beforeEach(() => {
    api.read = readLarge;
  });

  it('stay reserved, so that slow callers only wait for themselves', async () => {
    const slow = Array.from({ length: 8 }, () => open('slow'));
    const heads = slow.map(response);
    await Promise.all(heads.slice(0, 2));
    await expectAnswered('b');
    for (const req of slow) req.destroy();
    await expectLarge('slow');
  });

  it('do not delay others for long, even if a caller leaves many', async () => {
    const slow = ['a', 'b'].flatMap((caller) => Array.from({ length: 12 }, () => open(caller)));
    await Promise.all(slow.slice(0, 2).map(response));
    await expectAnswered('c');
    for (const req of slow) req.destroy();
    for (const caller of ['a', 'b']) await expectLarge(caller);
  });

  it('are dropped when a connection ends with queued responses', async () => {
    for (const caller of ['a', 'b']) {
      const socket = connect(api.port, '127.0.0.1');
      const head = `GET /api/things HTTP/1.1\r\nhost: x\r\nauthorization: Bearer user-${caller}\r\n\r\n`;
      socket.write(head.repeat(10));
      await once(socket, 'data');
      socket.destroy();
    }
    for (const caller of ['a', 'b']) await expectLarge(caller);
  });
});
