import { isDuplicateKey } from '@dtplatform/mongo';
import type { Model, Mongo } from '@dtplatform/mongo';

/** Inserts a document unless one with a unique field of the same value exists. @returns whether it was inserted */
export async function insertNew<T>(mongo: Mongo, model: Model<T>, document: T): Promise<boolean> {
  try {
    await mongo.create((session) => model.insertMany([document], { session }));
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
