import { describe, expect, it } from '@jest/globals';
import { createSemaphore } from '../src/index.js';

describe('semaphore', () => {
  it('limits permits in total and per owner', () => {
    const semaphore = createSemaphore({ max: 3, maxOfOwner: 2 });
    const leave = [semaphore.take('ada'), semaphore.take('ada')];
    expect([semaphore.hasMost('ada'), semaphore.hasMost('bob'), semaphore.isFull()]).toEqual([true, false, false]);
    semaphore.take('bob');
    expect(semaphore.isFull()).toBe(true);
    leave[0]!();
    expect([semaphore.hasMost('ada'), semaphore.isFull()]).toEqual([false, false]);
    leave[1]!();
    expect(semaphore.hasMost('ada')).toBe(false);
  });
});
