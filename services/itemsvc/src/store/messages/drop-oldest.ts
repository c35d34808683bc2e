import { oneOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { deadLetterModel } from './message.model.js';

/** Dead letters of one configuration. */
const MAX_LETTERS = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Adding them up takes longer than storing one. The next letter after that finds those that were too many meanwhile. */
const EVERY_MS = 1_000;

/**
 * Removes the oldest dead letters of a configuration that has too many, or too large ones. Each process does so at most once
 * a second.
 */
export function createDropOldest(mongo: Mongo): (configId: string) => Promise<void> {
  const deadLetters = mongo.model(deadLetterModel);
  const droppedAt = new Map<string, number>();

  return async (configId) => {
    const now = performance.now();
    for (const [other, at] of droppedAt) if (now - at >= EVERY_MS) droppedAt.delete(other);
    if (droppedAt.has(configId)) return;
    droppedAt.set(configId, now);
    const latestFirst = await deadLetters.aggregate<{ _id: string; bytes: number }>([
      { $match: { configId } },
      { $sort: { _id: -1 } },
      // From the index alone.
      { $project: { bytes: 1 } },
    ]);
    let total = 0;
    const surplus = latestFirst.filter(({ bytes }, index) => (total += bytes) > MAX_BYTES || index >= MAX_LETTERS);
    if (surplus.length === 0) return;
    await deadLetters.deleteMany({ _id: oneOf(surplus.map(({ _id }) => _id)) });
  };
}
