import escapeStringRegexp from 'escape-string-regexp';
import type { Author } from '@dtplatform/contracts';
import { isDuplicateKey, isTimeLimitExceeded, trusted } from '@dtplatform/mongo';
import type { Filter, Model, Mongo } from '@dtplatform/mongo';
import { errors } from '../errors.js';

/** Matches documents where a field matches the glob: `*` stands for any text; without one it matches substrings. */
export function matchesGlob(glob: string, fields: readonly string[]): Filter {
  const parts = glob.split(/\*+/).map(escapeStringRegexp);
  const pattern = parts.length === 1 ? parts[0]! : `^${parts.join('.*')}$`;
  const match = trusted({ $regex: pattern, $options: 'is' });
  return { $or: fields.map((field) => ({ [field]: match })) };
}

/** Inserts a document unless one with the same unique field exists. @returns whether it was inserted */
export const insertNew = <T>(mongo: Mongo, model: Model<T>, document: T): Promise<boolean> =>
  isInserted(mongo.create((session) => model.insertMany([document], { session })));

/** @returns false if the insert failed on a unique field */
export async function isInserted(insertion: Promise<unknown>): Promise<boolean> {
  try {
    await insertion;
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

export const touched = ({ id, name }: Author) => ({
  '_metadata._updatedAt': Date.now(),
  '_metadata._updatedById': id,
  '_metadata._updatedByName': name,
});

/** Runs a caller's query. Maps a timeout to a 400. */
export async function mapQueryErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw isTimeLimitExceeded(error) ? errors.queryTooSlow({ cause: error }) : error;
  }
}
