import { availableParallelism } from 'node:os';

/** Runs `work` for each item, one per processor at a time. The results are in the order of the items. */
export async function forEach(items, work) {
  const queue = [...items.entries()];
  const results = [];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return results;
}
