import { MongoServerError } from 'mongodb';
import type { Db, IndexDescription } from 'mongodb';

const NAMESPACE_EXISTS = 48;

/** Collections with the indexes that they have besides `_id`. An empty list still creates the collection. */
export type IndexPlan = Record<string, IndexDescription[]>;

/**
 * Creates the collections and indexes that are missing. Idempotent, and safe when several run at once. Removes nothing.
 * Throws the server's error when an index of the same name exists with another definition.
 */
export async function ensureIndexes(db: Db, plan: IndexPlan): Promise<void> {
  for (const [collection, indexes] of Object.entries(plan)) {
    await createCollection(db, collection);
    if (indexes.length > 0) await db.collection(collection).createIndexes(indexes);
  }
}

/** Creates it on its own: when transactions create it with their first write, they conflict with each other. */
async function createCollection(db: Db, name: string): Promise<void> {
  try {
    await db.createCollection(name);
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== NAMESPACE_EXISTS) throw error;
  }
}
