import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { identify } from '../src/processes/identity.js';
import { lockState, StateInUse } from '../src/state/lock.js';
import { tempDir } from './fixtures/temp-dir.js';

describe('the lock of a state', () => {
  it('is held by one process until it is released', async () => {
    const dir = await tempDir();
    const unlock = await lockState(dir);
    await expect(lockState(dir)).rejects.toThrow(StateInUse);
    await unlock();
    const unlockAgain = await lockState(dir);
    await unlock(); // the first lock again, which it no longer holds
    await expect(lockState(dir)).rejects.toThrow(StateInUse);
    await unlockAgain();
  });

  it.each([
    ['has died', { ...identify(process.pid), startedAt: '1' }],
    ['was killed while it wrote', ''],
  ])('is taken over by exactly one process when its owner %s', async (_why, owner) => {
    const dir = await tempDir();
    await writeFile(path.join(dir, 'lock.json'), owner === '' ? '' : JSON.stringify(owner));
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => lockState(dir)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});
