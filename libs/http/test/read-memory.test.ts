import { AsyncResource } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { keep, startReadingApi, statuses, times } from './reading-api.js';

const api = await startReadingApi();
afterAll(() => api.stop());
beforeEach(() => api.reset());

describe('what requests have read', () => {
  it('is bounded until they are answered; whoever finds no memory for it reads again once there is', async () => {
    let reads = 0;
    api.read = async (caller) => {
      reads++;
      keep(8);
      await api.run(caller);
    };
    const replies = times(5, () => api.get('a'));
    await api.until(3);
    await eventually(async () => expect(reads).toBe(5));
    expect(statuses(await api.endAll(replies))).toEqual([200]);
    expect([api.most(), reads]).toEqual([3, 7]);
  });

  it('is not counted if it is little', async () => {
    api.read = async (caller) => {
      keep(1 / 16);
      await api.run(caller);
    };
    const replies = times(300, () => api.get('a'));
    await api.until(300);
    await api.endAll(replies);
  });

  it('is given up before they wait, so that they never wait for each other', async () => {
    api.read = async (caller) => {
      for (let n = 0; n < 4; n++) {
        keep(6);
        await api.query(caller, 12);
      }
    };
    const replies = Promise.all([times(6, () => api.get('a')), times(6, () => api.get('b'))]);
    expect(statuses((await api.endAll(replies)).flat())).toEqual([200]);
  });

  it('may be read again before a change is permitted, and not after it has begun', async () => {
    let permitted = 0;
    let changed = 0;
    api.permit = async () => {
      permitted++;
      keep(12);
    };
    api.read = async (caller) => {
      changed++;
      keep(40);
      await api.run(caller);
    };
    const replies = times(3, () => api.send('user-a', 'POST'));
    await api.until(1);
    await eventually(async () => expect(permitted).toBe(3));
    expect(statuses(await api.endAll(replies))).toEqual([200]);
    expect([permitted, changed]).toEqual([5, 3]);
  });

  it('does not wait in calls of other services, whose callers may hold memory themselves', async () => {
    api.read = async (caller) => {
      keep(16);
      await api.run(caller);
    };
    const replies = times(20, () => api.send('trusted-service'));
    await api.until(20);
    expect(statuses(await api.endAll(replies))).toEqual([200]);
  });

  it('is not kept by connections that a request has opened, however long they live', async () => {
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

  it('does not count what work reads that goes on after the answer', async () => {
    let later: Promise<void> | undefined;
    let goOn = () => undefined as void;
    api.read = async () => {
      const answered = new Promise<void>((resolve) => (goOn = resolve));
      later = answered.then(() => keep(48));
    };
    await api.get('a');
    goOn();
    await later;
    api.read = async () => keep(24);
    expect((await api.get('a')).status).toBe(200);
  });

  it('is a 503 if it has to wait too long', async () => {
    const impatient = await startReadingApi({ maxWaitMs: 20 });
    try {
      impatient.read = async (caller) => {
        keep(24);
        await impatient.run(caller);
      };
      const many = Array.from({ length: 2 }, () => impatient.get('a'));
      expect((await Promise.race(many)).status).toBe(503);
      await impatient.endAll(Promise.all(many));
    } finally {
      await impatient.stop();
    }
  });
});
