import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { silentLogger } from '@dtplatform/logging';
import { createAppOrigins } from '../src/index.js';

const log = silentLogger();
afterEach(() => void jest.restoreAllMocks());

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
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 5_001);
    expect(await isAllowed('https://other.test')).toBe(false);
    expect(loads).toBe(2);
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
