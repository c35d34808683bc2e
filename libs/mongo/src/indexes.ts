import type { Logger } from '@dtplatform/logging';
import type { Mongo } from './connect.js';
import { MongoServerError } from './driver.js';
import type { AnyModel, ModelDefinition } from './model.js';

const NAMESPACE_EXISTS = 48;

/**
 * Creates the collections and indexes that the models declare and the database lacks. Idempotent, and safe when several run
 * at once. Deletes nothing: an index or collection that no model declares is reported in the log.
 * @throws the server's error when an index of the same name exists with another definition
 */
export async function ensureIndexes(mongo: Mongo, models: readonly AnyModel[], log: Logger): Promise<void> {
  for (const definition of models) {
    const model = mongo.model(definition as ModelDefinition);
    await createCollection(mongo, definition);
    await model.createIndexes();
    const { toDrop } = await model.diffIndexes();
    for (const index of toDrop) log.warn({ collection: definition.collection, index }, 'no model declares this index');
  }
  const declared = new Set(models.map(({ collection }) => collection));
  for (const { name } of await mongo.db.listCollections({}, { nameOnly: true }).toArray()) {
    if (!declared.has(name) && !name.startsWith('system.')) {
      log.warn({ collection: name }, 'no model declares this collection');
    }
  }
}

/** On its own, and not with the first write: transactions that create it at the same time conflict with each other. */
async function createCollection({ db }: Mongo, { collection, timeSeries }: AnyModel): Promise<void> {
  try {
    await db.createCollection(collection, timeSeries && { timeseries: timeSeries });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== NAMESPACE_EXISTS) throw error;
  }
}
