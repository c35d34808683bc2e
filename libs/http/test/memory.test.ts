import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { eventually } from '@dtplatform/testing';
import { ok, route, routes } from '../src/index.js';
import { createRequestMemory } from '../src/request-memory.js';
import { startApi } from './start-api.js';

const MIB = 1024 * 1024;

describe('the memory of requests', () => {
  let app: Awaited<ReturnType<typeof startApi>>;
  /** Ends the handlers that run. */
  let finish: (() => void)[] = [];
  let most = 0;
  const running = async <T>(answer: T) => {
    await new Promise<void>((resolve) => {
      finish.push(resolve);
      most = Math.max(most, finish.length);
    });
    return ok(answer);
  };
  const finishOne = () => finish.splice(0, 1).forEach((end) => end());

  const table = routes('/things', [
    route.get('/', { operation: 'things.list', summary: 'List.', replies: { 200: null }, handler: () => running([]) }),
    route.get('/one', {
      operation: 'things.get',
      summary: 'One.',
      readsOne: true,
      replies: { 200: null },
      handler: () => running({}),
    }),
    route.get('/large', {
      operation: 'things.large',
      summary: 'A large one.',
      replies: { 200: null },
      handler: async () => ok('x'.repeat(12 * MIB)),
    }),
    route.post('/slow', {
      operation: 'things.run',
      summary: 'Takes long.',
      body: z.string(),
      mayTakeLong: true,
      maxBodyBytes: 10 * MIB,
      replies: { 200: null },
      handler: () => running({}),
    }),
    route.post('/', {
      operation: 'things.create',
      summary: 'Create.',
      body: z.string(),
      maxBodyBytes: 10 * MIB,
      replies: { 200: null },
      handler: ({ body }) => running({ length: body.length }),
    }),
  ]);

  beforeAll(async () => {
    app = await startApi([table]);
  });
  afterAll(() => app.stop());

  const authorization = (caller: string) => ({ authorization: `Bearer user-${caller}` });
  const get = (caller: string, path = '') => app.send(`/api/things${path}`, { headers: authorization(caller) });
  const create = (caller: string, bytes: number, path = '') =>
    app.send(`/api/things${path}`, {
      method: 'POST',
      body: JSON.stringify('x'.repeat(bytes)),
      headers: authorization(caller),
    });
  const until = (count: number) => eventually(async () => expect(finish).toHaveLength(count));
  async function finishAll<T>(replies: Promise<T[]>): Promise<T[]> {
    const timer = setInterval(finishOne, 1);
    return replies.finally(() => clearInterval(timer));
  }

  it('bounds how much is read at the same time, and leaves half to other callers', async () => {
    [finish, most] = [[], 0];
    const replies = [...Array.from({ length: 20 }, () => get('a')), ...Array.from({ length: 20 }, () => get('b'))];
    await until(8);
    const before = await Promise.race([get('c').then(() => 'answered'), until(8).then(() => 'waits')]);
    expect(before).toBe('waits');
    const all = await finishAll(Promise.all(replies));
    expect(all.every(({ status }) => status === 200)).toBe(true);
    expect(most).toBe(8);
  });

  it('lets more operations that read one resource run at the same time', async () => {
    [finish, most] = [[], 0];
    const replies = Promise.all(Array.from({ length: 20 }, () => get('a', '/one')));
    await until(8);
    await finishAll(replies);
    expect(most).toBe(8);
  });

  it('does not wait for callers of whom only few read', async () => {
    finish = [];
    const many = Promise.all(Array.from({ length: 20 }, () => get('a')));
    await until(4);
    const other = get('b');
    await until(5);
    finish.splice(4, 1)[0]!();
    expect((await other).status).toBe(200);
    await finishAll(many);
  });

  it('lets one large body after the other be parsed', async () => {
    [finish, most] = [[], 0];
    const replies = Promise.all(['a', 'a', 'b', 'c'].map((caller) => create(caller, 9 * MIB)));
    await until(1);
    const small = create('d', 1000);
    await until(2);
    const all = await finishAll(Promise.all([replies, small]));
    expect(all.flat().map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(most).toBe(2);
  });

  it('is not held by the body of an operation that takes long', async () => {
    finish = [];
    const slow = Promise.all(['a', 'b'].map((caller) => create(caller, 9 * MIB, '/slow')));
    await until(2);
    const other = create('c', 9 * MIB);
    await until(3);
    const replies = await finishAll(Promise.all([slow, other]));
    expect(replies.flat().map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('is a 503 with Retry-After for a request that waits too long', async () => {
    const impatient = await startApi([table], { memory: createRequestMemory({ maxWaitMs: 20 }) });
    try {
      finish = [];
      const many = Array.from({ length: 5 }, () => impatient.send('/api/things', { headers: authorization('a') }));
      const refused = await Promise.race(many);
      expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
      const replies = await finishAll(Promise.all(many));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 503]);
    } finally {
      await impatient.stop();
    }
  });

  it('forgets a request whose caller leaves while it waits', async () => {
    finish = [];
    const many = Promise.all(Array.from({ length: 4 }, () => get('a')));
    await until(4);
    const leaving = request({ port: app.port, path: '/api/things', headers: authorization('a') }).end();
    leaving.on('error', () => undefined);
    await new Promise((resolve) => leaving.once('socket', (socket) => socket.once('connect', resolve)));
    leaving.destroy();
    const last = get('a');
    await finishAll(Promise.all([many, last]));
    expect((await last).status).toBe(200);
  });

  it('stays reserved until a caller has taken a large reply, so slow readers wait for each other only', async () => {
    finish = [];
    const slow = Array.from({ length: 8 }, () => {
      const req = request({ port: app.port, path: '/api/things/large', headers: authorization('slow') }).end();
      req.on('error', () => undefined);
      return req;
    });
    const heads = slow.map((req) => new Promise((resolve) => req.once('response', resolve)));
    await Promise.all(heads.slice(0, 4));
    const other = get('b');
    await until(1);
    finishOne();
    expect((await other).status).toBe(200);
    for (const req of slow) req.destroy();
    expect((await get('slow', '/large')).body).toHaveLength(12 * MIB + 2);
  });

  it('does not wait long for callers that leave many large replies', async () => {
    finish = [];
    const slow = ['a', 'b'].flatMap((caller) =>
      Array.from({ length: 12 }, () => {
        const req = request({ port: app.port, path: '/api/things/large', headers: authorization(caller) }).end();
        return req.on('error', () => undefined);
      }),
    );
    await Promise.all(slow.slice(0, 2).map((req) => new Promise((resolve) => req.once('response', resolve))));
    const other = get('c');
    await finishAll(other.then((reply) => [reply]));
    expect((await other).status).toBe(200);
    for (const req of slow) req.destroy();
    for (const caller of ['a', 'b']) expect((await get(caller, '/large')).body).toHaveLength(12 * MIB + 2);
  });

  it('is returned when a connection ends with responses that wait behind others', async () => {
    for (const caller of ['a', 'b']) {
      const socket = connect(app.port, '127.0.0.1');
      const head = `GET /api/things/large HTTP/1.1\r\nhost: x\r\nauthorization: Bearer user-${caller}\r\n\r\n`;
      socket.write(head.repeat(10));
      await once(socket, 'data');
      socket.destroy();
    }
    for (const caller of ['a', 'b']) expect((await get(caller, '/large')).body).toHaveLength(12 * MIB + 2);
  });
});
