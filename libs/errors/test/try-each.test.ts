import { expect, it } from '@jest/globals';
import { tryEach } from '../src/index.js';

it('processes every item despite failures, and reports all failures at the end', async () => {
  const done: number[] = [];
  const work = tryEach([1, 2, 3, 4], (item) => {
    if (item % 2 === 1) return Promise.reject(new Error(`no ${item}`));
    done.push(item);
    return Promise.resolve();
  });
  const error = await work.catch((thrown: unknown) => thrown as AggregateError);
  expect(error).toBeInstanceOf(AggregateError);
  expect((error as AggregateError).errors).toEqual([new Error('no 1'), new Error('no 3')]);
  expect((error as AggregateError).message).toBe('2 of 4 failed');
  expect(done).toEqual([2, 4]);
});

it('resolves when nothing fails', async () => {
  await expect(tryEach([1], () => Promise.resolve())).resolves.toBeUndefined();
  await expect(tryEach([], () => Promise.reject(new Error('never')))).resolves.toBeUndefined();
});
