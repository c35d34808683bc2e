import type { Logger } from '@dtplatform/logging';
import type { Mongo } from './connect.js';
import { MongoServerError } from './driver.js';
import type { IndexDescription } from './driver.js';
import type { AnyModel, ModelDefinition } from './model.js';

const NAMESPACE_EXISTS = 48;

/**
 * Creates the collections and indexes that the models declare and the database lacks. Idempotent, and safe when several run
 * at once. Deletes nothing: an index or collection that no model declares is reported in the log.
 * @throws the server's error when an index of the same name exists with another definition
 */
export async function ensureIndexes(mongo: Mongo, models: readonly AnyModel[], log: Logger): Promise<void> {
  await Promise.all(models.map((definition) => ensureModel(mongo, definition, log)));
  const declared = new Set(models.map(({ collection }) => collection));
  for (const { name } of await mongo.db.listCollections({}, { nameOnly: true }).toArray()) {
    if (!declared.has(name) && !name.startsWith('system.')) {
      log.warn({ collection: name }, 'no model declares this collection');
    }
  }
}

async function ensureModel(mongo: Mongo, definition: AnyModel, log: Logger): Promise<void> {
  const { collection, schema, timeSeries } = definition;
  const indexes = schema.indexes().map(([key, options]) => ({ ...options, key }) as IndexDescription);
  if (timeSeries || indexes.length === 0) await createCollection(mongo, definition);
  // One command creates them all, and the collection too: each command waits until the server has written its log.
  if (indexes.length > 0) await mongo.db.collection(collection).createIndexes(indexes);
  const { toDrop } = await mongo.model(definition as ModelDefinition).diffIndexes();
  for (const index of toDrop) log.warn({ collection, index }, 'no model declares this index');
}

/** On its own, and not with the first write: transactions that create it at the same time conflict with each other. */
async function createCollection({ db }: Mongo, { collection, timeSeries }: AnyModel): Promise<void> {
  try {
    await db.createCollection(collection, timeSeries && { timeseries: timeSeries });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== NAMESPACE_EXISTS) throw error;
  }
}
