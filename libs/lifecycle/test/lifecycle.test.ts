import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@dtplatform/logging';
import { createLifecycle } from '../src/index.js';

const throwing = () => {
  throw new Error('broken');
};
const start = (graceMs = 5000) => createLifecycle({ log: silentLogger(), graceMs });

describe('shutdown', () => {
  it('runs its steps one by one in reverse order', async () => {
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

  it('happens once, however often it is requested', async () => {
    const lifecycle = start();
    let count = 0;
    lifecycle.onStop('probe', () => (count += 1));
    await Promise.all([lifecycle.stop('a'), lifecycle.stop('b')]);
    await lifecycle.stop('c');
    expect(count).toBe(1);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['throws', throwing],
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['never ends', () => new Promise(() => undefined)],
  ])('continues with the other steps when one %s', async (_what, stop) => {
    const lifecycle = start(50);
    let ended = false;
    lifecycle.onStop('other', () => (ended = true));
    lifecycle.onStop('bad', stop);
    await lifecycle.stop('test');
    expect(ended).toBe(true);
  });

  it('runs a step that is registered late because startup was still in progress', async () => {
    const lifecycle = start();
    await lifecycle.stop('test');
    const ended = new Promise<void>((resolve) => lifecycle.onStop('late', () => resolve()));
    await ended;
  });
});
