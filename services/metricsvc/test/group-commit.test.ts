import { expect, it } from '@jest/globals';
import { createGroupCommit } from '../src/jobs/group-commit.js';

class DatabaseIsAway extends Error {}

/** Commits to memory; an entry below zero is a bad one. */
function start({ maxWeight = 1000, isAway = false } = {}) {
  const commits: number[][] = [];
  const group = createGroupCommit<number>({
    async commit(entries) {
      commits.push(entries);
      await new Promise((resolve) => setImmediate(resolve));
      if (isAway) throw new DatabaseIsAway();
      if (entries.some((entry) => entry < 0)) throw new Error('a bad entry');
    },
    concernsAll: (error) => error instanceof DatabaseIsAway,
    maxWeight,
    weightOf: (entry) => Math.abs(entry),
  });
  const addAll = (entries: number[]) => Promise.allSettled(entries.map((entry) => group.add(entry)));
  return { commits, group, addAll };
}

it('commits together what is added together, and what is added meanwhile in the next group', async () => {
  const { commits, group } = start();
  const first = [group.add(1), group.add(2)];
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([...first, group.add(3), group.add(4)]);
  expect(commits).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

it('ends a group with the entry that makes it heavy enough, and works again after it was idle', async () => {
  const { commits, group, addAll } = start({ maxWeight: 4 });
  await addAll([1, 3, 2, 9, 1]);
  await group.add(4);
  expect(commits).toEqual([[1, 3], [2, 9], [1], [4]]);
});

it('lets a bad entry stop only itself', async () => {
  const { addAll } = start();
  const results = await addAll([1, -2, 3]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('fails all at once, without trying each, when the database is away', async () => {
  const { commits, addAll } = start({ isAway: true });
  const results = await addAll([1, 2, 3]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(commits).toEqual([[1, 2, 3]]);
});
