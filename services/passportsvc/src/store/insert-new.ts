import { isDuplicateKey } from '@dtplatform/mongo';
import type { Model, Mongo } from '@dtplatform/mongo';

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
