import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { createCancellations } from '../src/orchrun/cancellations.client.js';
import { startApp } from './start-app.js';

const app = await startApp();
afterAll(() => app.stop());

describe('an announced cancellation', () => {
  it('reaches the workers of that attempt only', async () => {
    const { redis, log } = app.deps;
    const cancellations = await createCancellations({ redis, redisUrl: app.env.REDIS_URL!, log });
    const heard: string[] = [];
    const listen = (name: string, retries: number) =>
      cancellations.onCancelled({ runId: 'run', retries }, () => heard.push(name));
    const unsubscribe = [listen('first', 0), listen('second', 1), listen('second too', 1)];
    let isSubscribed = false;
    cancellations.onCancelled({ runId: 'ready', retries: 0 }, () => (isSubscribed = true));
    await eventually(async () => {
      await cancellations.announce({ runId: 'ready', retries: 0 });
      expect(isSubscribed).toBe(true);
    });

    const announce = async (cancelled: { runId: string; retries: number }, expected: string[]) => {
      heard.length = 0;
      await cancellations.announce({ runId: 'other', retries: 1 });
      await cancellations.announce(cancelled);
      await eventually(() => expect(heard).toContain(expected.at(-1)));
      expect(heard).toEqual(expected);
    };
    await announce({ runId: 'run', retries: 0 }, ['first']);
    await announce({ runId: 'run', retries: 1 }, ['second', 'second too']);
    unsubscribe[1]!();
    await announce({ runId: 'run', retries: 1 }, ['second too']);
    await cancellations.close();
  });
});
