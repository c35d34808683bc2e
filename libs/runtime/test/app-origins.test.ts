import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@dtplatform/logging';
import { eventually } from '@dtplatform/testing';
import { createAppOrigins } from '../src/index.js';

const log = createLogger({ service: 'test', level: 'silent' });

describe('origins that apps authorize', () => {
  it('stay valid while they cannot be loaded again', async () => {
    let loads = 0;
    const isAllowed = createAppOrigins(async () => {
      loads += 1;
      if (loads > 1) throw new Error('unavailable');
      return ['https://viewer.test'];
    }, log);
    expect(await isAllowed('https://viewer.test')).toBe(true);
    expect(await isAllowed('https://other.test')).toBe(false);
    await eventually(
      async () => {
        await isAllowed('https://other.test');
        expect(loads).toBeGreaterThan(1);
      },
      { timeoutMs: 15_000 },
    );
    expect(await isAllowed('https://viewer.test')).toBe(true);
  });

  it('are loaded once for concurrent requests, even if that fails', async () => {
    let loads = 0;
    const isAllowed = createAppOrigins(() => {
      loads += 1;
      return Promise.reject(new Error('unavailable'));
    }, log);
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => isAllowed(`https://${n}.test`)));
    expect(new Set(answers)).toEqual(new Set([false]));
    expect(loads).toBe(1);
  });
});
