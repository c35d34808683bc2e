import { request } from 'node:http';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { queryLimits } from '@dtplatform/mongo';
import { eventually } from '@dtplatform/testing';
import { memory, MIB, startReadingApi, statuses, times } from './reading-api.js';

const api = await startReadingApi();
afterAll(() => api.stop());
beforeEach(() => api.reset());

describe('replies of the database that are on their way', () => {
  it('are few at a time if they may be large, and half of them are left to other callers', async () => {
    api.read = (caller) => api.query(caller, 12);
    const replies = Promise.all([times(10, () => api.get('a')), times(10, () => api.get('b'))]);
    await api.until(4);
    expect(api.callers()).toEqual(['a', 'a', 'b', 'b']);
    expect(statuses((await api.endAll(replies)).flat())).toEqual([200]);
    expect(api.most()).toBe(4);
  });

  it('are many if they are small', async () => {
    api.read = (caller) => api.query(caller, 0.5);
    const replies = times(100, () => api.get('a'));
    await api.until(48);
    await api.endAll(replies);
    expect(api.most()).toBe(48);
  });

  it('come at once for a caller who expects few, while another waits for many', async () => {
    api.read = (caller) => api.query(caller, 12);
    const many = times(20, () => api.get('a'));
    await api.until(2);
    const other = api.get('b');
    await api.until(3);
    api.end(2);
    expect((await other).status).toBe(200);
    await api.endAll(many);
  });

  it('are a 503 with Retry-After if they have to wait too long', async () => {
    const impatient = await startReadingApi({ maxWaitMs: 20 });
    try {
      impatient.read = (caller) => impatient.query(caller, 12);
      const many = Array.from({ length: 3 }, () => impatient.get('a'));
      const refused = await Promise.race(many);
      expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
      const replies = await impatient.endAll(Promise.all(many));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 503]);
    } finally {
      await impatient.stop();
    }
  });

  it('are no longer expected for a caller who disconnects', async () => {
    api.read = (caller) => api.query(caller, 12);
    const many = times(2, () => api.get('a'));
    await api.until(2);
    const leaving = request({ port: api.port, path: '/api/things', headers: { authorization: 'Bearer user-a' } }).end();
    leaving.on('error', () => undefined);
    await new Promise((resolve) => leaving.once('socket', (socket) => socket.once('connect', resolve)));
    leaving.destroy();
    const last = api.get('a');
    const replies = await api.endAll(Promise.all([many, last]));
    expect(statuses(replies.flat())).toEqual([200]);
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
      (await memory().expect(48 * MIB)).release();
      leftMs = queryLimits().maxTimeMS;
    };
    const second = api.get('b');
    await eventually(async () => expect(startMs > 0 && performance.now() - startMs > 500).toBe(true));
    api.end();
    expect(statuses(await Promise.all([first, second]))).toEqual([200]);
    expect(leftMs).toBeGreaterThan(1500);
  });
});
