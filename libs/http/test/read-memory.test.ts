import { AsyncResource } from 'node:async_hooks';
import { request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { queryLimits } from '@dtplatform/mongo';
import { eventually } from '@dtplatform/testing';
import { read, readSmall, startReadingApi, statuses, times } from './reading-api.js';

const api = await startReadingApi();
afterAll(() => api.stop());
beforeEach(() => api.reset());

describe('large reads', () => {
  it('are limited in number, and half of them are left to other callers', async () => {
    api.read = (caller) => api.query(caller, 12);
    const responses = Promise.all([times(10, () => api.get('a')), times(10, () => api.get('b'))]);
    await api.until(4);
    expect(api.callers()).toEqual(['a', 'a', 'b', 'b']);
    expect(statuses((await api.endAll(responses)).flat())).toEqual([200]);
    expect(api.most()).toBe(4);
  });

  it('start at once for a caller with a small limit, while another waits for a large one', async () => {
    api.read = (caller) => api.query(caller, 12);
    const many = times(20, () => api.get('a'));
    await api.until(2);
    const other = api.get('b');
    await api.until(3);
    api.end(2);
    expect((await other).status).toBe(200);
    await api.endAll(many);
  });

  it('do not delay small ones', async () => {
    api.read = (caller) => api.query(caller, 12);
    const large = Promise.all(['a', 'b', 'c'].map((caller) => times(5, () => api.get(caller))));
    await api.until(4);
    api.read = async () => expect(await readSmall(1 / 16)).toBe(true);
    expect(statuses(await times(100, () => api.get('d')))).toEqual([200]);
    await api.endAll(large);
  });

  it('are a 503 with Retry-After if they wait too long', async () => {
    const impatient = await startReadingApi({ maxWaitMs: 20 });
    try {
      impatient.read = (caller) => impatient.query(caller, 12);
      const many = Array.from({ length: 3 }, () => impatient.get('a'));
      const rejected = await Promise.race(many);
      expect([rejected.status, rejected.headers['retry-after']]).toEqual([503, '5']);
      const responses = await impatient.endAll(Promise.all(many));
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 503]);
    } finally {
      await impatient.stop();
    }
  });

  it('are dropped from the queue when the caller disconnects', async () => {
    api.read = (caller) => api.query(caller, 12);
    const many = times(2, () => api.get('a'));
    await api.until(2);
    const leaving = request({ port: api.port, path: '/api/things', headers: { authorization: 'Bearer user-a' } }).end();
    leaving.on('error', () => undefined);
    await new Promise((resolve) => leaving.once('socket', (socket) => socket.once('connect', resolve)));
    leaving.destroy();
    const last = api.get('a');
    const responses = await api.endAll(Promise.all([many, last]));
    expect(statuses(responses.flat())).toEqual([200]);
  });

  it('do not use up the time of their queries while they wait', async () => {
    api.read = (caller) => api.query(caller, 48);
    const first = api.get('a');
    await api.until(1);
    let startMs = 0;
    let leftMs = 0;
    api.read = async () => {
      queryLimits();
      startMs = performance.now();
      await read(48);
      leftMs = queryLimits().maxTimeMS;
    };
    const second = api.get('b');
    await eventually(async () => expect(startMs > 0 && performance.now() - startMs > 500).toBe(true));
    api.end();
    expect(statuses(await Promise.all([first, second]))).toEqual([200]);
    expect(leftMs).toBeGreaterThan(1500);
  });
});

describe('memory of read data', () => {
  it('is held by size until the response, and no handler runs twice', async () => {
    let reads = 0;
    api.read = async (caller) => {
      reads++;
      await read(16, 8);
      await api.run(caller);
    };
    const responses = times(10, () => api.get('a'));
    await api.until(2);
    expect(statuses(await api.endAll(responses))).toEqual([200]);
    expect([api.most(), reads]).toEqual([2, 10]);
  });

  it('is always available for small requests; larger ones are rejected while there is none', async () => {
    api.read = async (caller) => {
      await read(48);
      await api.run(caller);
    };
    const large = api.get('a');
    await api.until(1);
    const kept: boolean[] = [];
    api.read = async () => void kept.push(await readSmall(1 / 16), await readSmall(1 / 16));
    await api.get('b');
    expect(kept).toEqual([true, false]);
    await api.endAll(large);
  });

  it('may exceed the budget for a single request', async () => {
    api.read = async (caller) => {
      await read(16, 100);
      await api.run(caller);
    };
    const responses = Promise.all(['a', 'b', 'c'].map((caller) => api.get(caller)));
    await api.until(1);
    expect(statuses(await api.endAll(responses))).toEqual([200]);
    expect(api.most()).toBe(1);
  });

  it('may grow: of the requests that hold memory and need more, one at a time always gets it', async () => {
    let reads = 0;
    api.read = async () => {
      reads++;
      for (let n = 0; n < 4; n++) {
        await read(16, 20);
      }
      await Promise.all([read(16), read(16), read(16)]);
    };
    const responses = await Promise.all([times(6, () => api.get('a')), times(6, () => api.get('b'))]);
    expect(statuses(responses.flat())).toEqual([200]);
    expect(reads).toBe(12);
  });

  it('may be reserved concurrently for one request', async () => {
    api.read = () => times(8, () => read(16));
    const responses = await Promise.all([times(3, () => api.get('a')), times(3, () => api.get('b'))]);
    expect(statuses(responses.flat())).toEqual([200]);
  });

  it('is bounded before a change is permitted, too', async () => {
    api.permit = async () => void (await read(12));
    api.read = (caller) => api.run(caller);
    const responses = times(6, () => api.send('user-a', 'POST'));
    await api.until(2);
    expect(statuses(await api.endAll(responses))).toEqual([200]);
    expect(api.most()).toBe(2);
  });

  it('is not waited for in calls from other services, whose callers may hold memory', async () => {
    api.read = async (caller) => {
      await read(16);
      await api.run(caller);
    };
    const responses = times(20, () => api.send('trusted-service'));
    await api.until(20);
    expect(statuses(await api.endAll(responses))).toEqual([200]);
  });

  it('is not held by connections that a request has opened, however long they live', async () => {
    const opened: AsyncResource[] = [];
    let isCollected = false;
    const onCollected = new FinalizationRegistry(() => (isCollected = true));
    api.permit = async () => {
      opened.push(new AsyncResource('connection'));
      const resource = { text: 'loaded' };
      onCollected.register(resource, '');
      return resource;
    };
    await api.send('user-a', 'POST');
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    await eventually(async () => {
      collectGarbage();
      expect(isCollected).toBe(true);
    });
    expect(opened).toHaveLength(1);
  });

  it('does not count reads of work that continues after the response', async () => {
    let later: Promise<void> | undefined;
    let goOn = () => undefined as void;
    api.read = async () => {
      const answered = new Promise<void>((resolve) => (goOn = resolve));
      later = answered.then(async () => void (await read(48)));
    };
    await api.get('a');
    goOn();
    await later;
    api.read = () => read(48);
    expect((await api.get('a')).status).toBe(200);
  });
});
