import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { queryLimits } from '@dtplatform/mongo';
import { currentBounds } from '@dtplatform/telemetry';
import { eventually } from '@dtplatform/testing';
import { ok, route, routes } from '../src/index.js';
import { createRequestMemory } from '../src/request-memory.js';
import { startApi } from './start-api.js';

const MIB = 1024 * 1024;

let app: Awaited<ReturnType<typeof startApi>>;
/** What runs, in the order of its start, and how to end it. */
let running: { caller: string; end: () => void }[] = [];
let most = 0;
/** What has been read, in the order of its end. */
let answered: string[] = [];

/** Stands for a query, or for whatever a handler does after it. */
const run = async (caller: string) => {
  await new Promise<void>((resolve) => {
    running.push({ caller, end: resolve });
    most = Math.max(most, running.length);
  });
};
const end = (index = 0) => running.splice(index, 1).forEach((one) => one.end());
const until = (count: number) => eventually(async () => expect(running).toHaveLength(count));
async function endAll<T>(replies: Promise<T>): Promise<T> {
  const timer = setInterval(end, 1);
  return replies.finally(() => clearInterval(timer));
}

const memory = () => currentBounds()!.memory!;
const keep = (mib: number) => memory().keep(mib * MIB);
async function query(caller: string, mib: number) {
  const arriving = await memory().expect(mib * MIB);
  await run(caller);
  arriving.release();
}

/** What the routes read. */
type Read = (caller: string) => Promise<unknown>;
let read: Read = async () => undefined;
let permit: Read = async () => undefined;
const handler = async ({ access }: { access: { principal: { id: string } } }) => {
  const { id } = access.principal;
  const body = await read(id);
  answered.push(id);
  return ok(body ?? {});
};
const table = routes('/things', [
  route.get('/', { operation: 'things.list', summary: 'List.', replies: { 200: null }, handler }),
  route.post('/', {
    operation: 'things.change',
    summary: 'Change.',
    needs: { action: 'EDIT', check: ({ access }) => permit(access.principal.id) },
    replies: { 200: null },
    handler,
  }),
]);

const send = (caller: string, method = 'GET', to = app) =>
  to.send('/api/things', { method, headers: { authorization: `Bearer ${caller}` } });
const get = (caller: string) => send(`user-${caller}`);
const times = <T>(count: number, work: () => Promise<T>) => Promise.all(Array.from({ length: count }, work));
const statuses = (replies: { status: number }[]) => [...new Set(replies.map(({ status }) => status))];

beforeAll(async () => {
  app = await startApi([table]);
});
afterAll(() => app.stop());
beforeEach(() => {
  // Of a caller who has left.
  for (const one of running) one.end();
  [running, most, answered] = [[], 0, []];
  permit = async () => undefined;
});

describe('replies of the database that are on their way', () => {
  it('are few at a time if they may be large, and half of them are left to other callers', async () => {
    read = (caller) => query(caller, 12);
    const replies = Promise.all([times(10, () => get('a')), times(10, () => get('b'))]);
    await until(4);
    expect(running.map(({ caller }) => caller).sort()).toEqual(['a', 'a', 'b', 'b']);
    expect(statuses((await endAll(replies)).flat())).toEqual([200]);
    expect(most).toBe(4);
  });

  it('are many if they are small', async () => {
    read = (caller) => query(caller, 0.5);
    const replies = times(100, () => get('a'));
    await until(48);
    await endAll(replies);
    expect(most).toBe(48);
  });

  it('come at once for a caller who expects few, while another waits for many', async () => {
    read = (caller) => query(caller, 12);
    const many = times(20, () => get('a'));
    await until(2);
    const other = get('b');
    await until(3);
    end(2);
    expect((await other).status).toBe(200);
    await endAll(many);
  });

  it('are a 503 with Retry-After if they have to wait too long', async () => {
    const impatient = await startApi([table], { memory: createRequestMemory({ maxWaitMs: 20 }) });
    try {
      read = (caller) => query(caller, 12);
      const many = Array.from({ length: 3 }, () => send('user-a', 'GET', impatient));
      const refused = await Promise.race(many);
      expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
      const replies = await endAll(Promise.all(many));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 503]);
    } finally {
      await impatient.stop();
    }
  });

  it('are no longer expected for a caller who disconnects', async () => {
    read = (caller) => query(caller, 12);
    const many = times(2, () => get('a'));
    await until(2);
    const leaving = request({ port: app.port, path: '/api/things', headers: { authorization: 'Bearer user-a' } }).end();
    leaving.on('error', () => undefined);
    await new Promise((resolve) => leaving.once('socket', (socket) => socket.once('connect', resolve)));
    leaving.destroy();
    const last = get('a');
    expect(statuses(await endAll(Promise.all([many, last]).then(([first, one]) => [...first, one])))).toEqual([200]);
  });

  it('do not use up the time of their queries while they wait', async () => {
    read = (caller) => query(caller, 48);
    const first = get('a');
    await until(1);
    let startMs = 0;
    let leftMs = 0;
    read = async () => {
      queryLimits();
      startMs = performance.now();
      (await memory().expect(48 * MIB)).release();
      leftMs = queryLimits().maxTimeMS;
    };
    const second = get('b');
    await eventually(async () => expect(startMs > 0 && performance.now() - startMs > 500).toBe(true));
    end();
    expect(statuses(await Promise.all([first, second]))).toEqual([200]);
    expect(leftMs).toBeGreaterThan(1500);
  });
});

describe('what requests have read', () => {
  it('is bounded until they are answered; whoever finds no memory for it reads again once there is', async () => {
    let reads = 0;
    read = async (caller) => {
      reads++;
      keep(8);
      await run(caller);
    };
    const replies = times(5, () => get('a'));
    await until(3);
    await eventually(async () => expect(reads).toBe(5));
    expect(statuses(await endAll(replies))).toEqual([200]);
    expect([most, reads]).toEqual([3, 7]);
  });

  it('is not counted if it is little', async () => {
    read = async (caller) => {
      keep(1 / 16);
      await run(caller);
    };
    const replies = times(300, () => get('a'));
    await until(300);
    await endAll(replies);
  });

  it('is given up before they wait, so that they never wait for each other', async () => {
    read = async (caller) => {
      for (let n = 0; n < 4; n++) {
        keep(6);
        await query(caller, 12);
      }
    };
    const replies = Promise.all([times(6, () => get('a')), times(6, () => get('b'))]);
    expect(statuses((await endAll(replies)).flat())).toEqual([200]);
  });

  it('may be read again before a change is permitted, and not after it has begun', async () => {
    let permitted = 0;
    let changed = 0;
    permit = async () => {
      permitted++;
      keep(12);
    };
    read = async (caller) => {
      changed++;
      keep(40);
      await run(caller);
    };
    const replies = times(3, () => send('user-a', 'POST'));
    await until(1);
    await eventually(async () => expect(permitted).toBe(3));
    expect(statuses(await endAll(replies))).toEqual([200]);
    expect([permitted, changed]).toEqual([5, 3]);
  });

  it('does not wait in calls of other services, whose callers may hold memory themselves', async () => {
    read = async (caller) => {
      keep(16);
      await run(caller);
    };
    const replies = times(20, () => send('trusted-service'));
    await until(20);
    expect(statuses(await endAll(replies))).toEqual([200]);
  });

  it('is a 503 if it has to wait too long', async () => {
    const impatient = await startApi([table], { memory: createRequestMemory({ maxWaitMs: 20 }) });
    try {
      read = async (caller) => {
        keep(24);
        await run(caller);
      };
      const many = Array.from({ length: 2 }, () => send('user-a', 'GET', impatient));
      expect((await Promise.race(many)).status).toBe(503);
      await endAll(Promise.all(many));
    } finally {
      await impatient.stop();
    }
  });
});

describe('large replies that their callers do not take', () => {
  const open = (caller: string) =>
    request({ port: app.port, path: '/api/things', headers: { authorization: `Bearer user-${caller}` } })
      .end()
      .on('error', () => undefined);
  const response = (req: ReturnType<typeof open>) => new Promise((resolve) => req.once('response', resolve));
  const readLarge: Read = async () => {
    keep(12);
    return 'x'.repeat(12 * MIB);
  };
  const expectLarge = async (caller: string) => {
    read = readLarge;
    expect((await get(caller)).body).toHaveLength(12 * MIB + 2);
  };
  const expectAnswered = async (caller: string) => {
    read = async () => keep(12);
    expect((await get(caller)).status).toBe(200);
  };
  beforeEach(() => {
    read = readLarge;
  });

  it('stay reserved, so that slow callers wait for themselves only', async () => {
    const slow = Array.from({ length: 8 }, () => open('slow'));
    const heads = slow.map(response);
    await Promise.all(heads.slice(0, 2));
    await expectAnswered('b');
    for (const req of slow) req.destroy();
    await expectLarge('slow');
  });

  it('do not keep others waiting for long, even if callers leave many', async () => {
    const slow = ['a', 'b'].flatMap((caller) => Array.from({ length: 12 }, () => open(caller)));
    await Promise.all(slow.slice(0, 2).map(response));
    await expectAnswered('c');
    for (const req of slow) req.destroy();
    for (const caller of ['a', 'b']) await expectLarge(caller);
  });

  it('are given up when a connection ends with responses that wait behind others', async () => {
    for (const caller of ['a', 'b']) {
      const socket = connect(app.port, '127.0.0.1');
      const head = `GET /api/things HTTP/1.1\r\nhost: x\r\nauthorization: Bearer user-${caller}\r\n\r\n`;
      socket.write(head.repeat(10));
      await once(socket, 'data');
      socket.destroy();
    }
    for (const caller of ['a', 'b']) await expectLarge(caller);
  });
});
