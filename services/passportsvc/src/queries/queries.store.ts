import escapeStringRegexp from 'escape-string-regexp';
import type { Author } from '@dtplatform/contracts';
import { isDuplicateKey, isTimeLimitExceeded, trusted } from '@dtplatform/mongo';
import type { Filter, Model, Mongo } from '@dtplatform/mongo';
import { errors } from '../errors.js';

/** Matches documents in which a field matches the glob: `*` stands for any text, and without one it matches substrings. */
export function matchesGlob(glob: string, fields: readonly string[]): Filter {
  const parts = glob.split(/\*+/).map(escapeStringRegexp);
  const pattern = parts.length === 1 ? parts[0]! : `^${parts.join('.*')}$`;
  const match = trusted({ $regex: pattern, $options: 'is' });
  return { $or: fields.map((field) => ({ [field]: match })) };
}

/** Inserts a document unless one with a unique field of the same value exists. @returns whether it was inserted */
export const insertNew = <T>(mongo: Mongo, model: Model<T>, document: T): Promise<boolean> =>
  isInserted(mongo.create((session) => model.insertMany([document], { session })));

/** False for an insertion that failed because a document with a unique field of the same value exists. */
export async function isInserted(insertion: Promise<unknown>): Promise<boolean> {
  try {
    await insertion;
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** What every write sets in the metadata of a workspace or user group. */
export const touched = ({ id, name }: Author) => ({
  '_metadata._updatedAt': Date.now(),
  '_metadata._updatedById': id,
  '_metadata._updatedByName': name,
});

/** Runs a caller's query. One that takes too long is a 400 that says so. */
export async function mapQueryErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw isTimeLimitExceeded(error) ? errors.queryTooSlow({ cause: error }) : error;
  }
}
