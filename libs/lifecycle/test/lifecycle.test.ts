import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@dtplatform/logging';
import { createLifecycle } from '../src/index.js';

const start = (graceMs = 5000) => createLifecycle({ log: silentLogger(), graceMs });

describe('a stop', () => {
  it('ends one after the other, the last first', async () => {
    const lifecycle = start();
    const ended: string[] = [];
    for (const name of ['database', 'worker', 'server']) {
      lifecycle.onStop(name, async () => {
        ended.push(`${name} ends`);
        await new Promise((resolve) => setImmediate(resolve));
        ended.push(`${name} has ended`);
      });
    }
    await lifecycle.stop('test');
    const names = ['server', 'worker', 'database'];
    expect(ended).toEqual(names.flatMap((name) => [`${name} ends`, `${name} has ended`]));
  });

  it('is known from its beginning', async () => {
    const lifecycle = start();
    expect(lifecycle.stopping).toBe(false);
    let known: boolean | undefined;
    lifecycle.onStop('probe', () => (known = lifecycle.stopping));
    await lifecycle.stop('test');
    expect(known).toBe(true);
  });

  it('happens once, however often it is asked for', async () => {
    const lifecycle = start();
    let count = 0;
    lifecycle.onStop('probe', () => (count += 1));
    await Promise.all([lifecycle.stop('a'), lifecycle.stop('b')]);
    await lifecycle.stop('c');
    expect(count).toBe(1);
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['never ends', () => new Promise(() => undefined)],
  ])('goes on with the others when one %s', async (_what, stop) => {
    const lifecycle = start(50);
    let ended = false;
    lifecycle.onStop('other', () => (ended = true));
    lifecycle.onStop('bad', stop);
    await lifecycle.stop('test');
    expect(ended).toBe(true);
  });

  it('ends what is registered only now, because the start was still under way', async () => {
    const lifecycle = start();
    await lifecycle.stop('test');
    const ended = new Promise<void>((resolve) => lifecycle.onStop('late', () => resolve()));
    await ended;
  });
});
