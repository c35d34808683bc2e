import { trusted } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { deadLetterModel } from './message.model.js';

/** Dead letters of one configuration. */
const MAX_LETTERS = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Removes the oldest dead letters of a configuration that has too many, or too large ones. */
export async function dropOldest(mongo: Mongo, configId: string): Promise<void> {
  const deadLetters = mongo.model(deadLetterModel);
  const latestFirst = await deadLetters.aggregate<{ _id: string; bytes: number }>([
    { $match: { configId } },
    { $sort: { _id: -1 } },
    // From the index alone.
    { $project: { bytes: 1 } },
  ]);
  let total = 0;
  const surplus = latestFirst.filter(({ bytes }, index) => (total += bytes) > MAX_BYTES || index >= MAX_LETTERS);
  if (surplus.length === 0) return;
  await deadLetters.deleteMany({ _id: trusted({ $in: surplus.map(({ _id }) => _id) }) });
}
