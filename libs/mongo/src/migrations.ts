import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@dtplatform/logging';
import type { Mongo } from './connect.js';
import { MongoServerError } from './driver.js';
import type { Db, IndexDescription } from './driver.js';
import { idempotencyKeyModel } from './idempotency-store.js';
import { createLease, leaseModel } from './lease.js';
import { defineModel, id, number, text } from './model.js';
import type { AnyModel, ModelDefinition } from './model.js';

/** One change of the stored data. */
export interface Migration {
  /** Position and purpose: `0001-names-in-lower-case`. */
  id: string;
  /**
   * Makes the change. Must be idempotent, because it runs again if its process dies. The previous version of the
   * service is still running and must tolerate the change: a version adds fields, collections and indexes; the next one
   * stops using the old ones; the one after that removes them. A long migration must throw when the signal aborts; one
   * that returns is recorded as done.
   */
  up: (db: Db, signal: AbortSignal) => Promise<void>;
}

/** What a version of a service needs in its database. */
export interface Schema {
  models: readonly AnyModel[];
  migrations: readonly Migration[];
  /** Hash of the schema: equal for versions with equal needs. */
  id: string;
}

const MIGRATION_ID = /^\d{4}(-[a-z0-9]+)+$/;

/**
 * Declares what a service needs in its database. @throws Error when the migrations are not in the order of their ids
 */
export function defineSchema({ models, migrations }: Omit<Schema, 'id'>): Schema {
  const ids = migrations.map(({ id }) => id);
  ids.forEach((id, index) => {
    if (!MIGRATION_ID.test(id)) throw new Error(`A migration's id must look like 0001-what-it-does: ${id}`);
    if (index > 0 && id.slice(0, 4) <= ids[index - 1]!.slice(0, 4)) throw new Error(`${id} is out of order`);
  });
  const all = [idempotencyKeyModel, leaseModel, migrationModel, ...models];
  const needed = all.map(({ collection, schema, timeSeries }) => [
    collection,
    schema.indexes(),
    ...(timeSeries ? [timeSeries] : []),
  ]);
  const hash = createHash('sha256').update(JSON.stringify([needed, ids]));
  return { models: all, migrations, id: `schema-${hash.digest('hex').slice(0, 16)}` };
}

/**
 * Version of everything stored. Raised by a build that changes it without a migration, which is allowed until the first
 * release; other builds then do not start on its data.
 */
const BASELINE = 1;

/** A migration that ran, or a schema that was applied. */
interface LedgerEntry {
  _id: string;
  /** The version of the service that ran the migration. */
  version: string;
  at: Date;
  durationMs: number;
  /** The `BASELINE` of that build. */
  baseline: number;
}

const migrationModel = defineModel<LedgerEntry>('migrations', {
  _id: id,
  version: text,
  at: Date,
  durationMs: number,
  baseline: number,
});

/** Longer than a process may reasonably pause, shorter than an operator waits. */
const LEASE_TTL_MS = 15_000;
const RETRY_LEASE_MS = 500;

export interface MigrateOptions {
  /** The version of the service, for the ledger. */
  version: string;
  log: Logger;
  /** Stops the work between two steps. */
  signal: AbortSignal;
  /** Further steps on every run, after migrations and indexes. Must be idempotent. */
  more?: () => Promise<void>;
  leaseTtlMs?: number;
}

/** Resolves once the database has what a version needs. @throws Error until then, and the driver's errors */
export async function requireSchema(mongo: Mongo, { id }: Schema): Promise<void> {
  const isMigrated = await mongo.model(migrationModel).exists({ _id: id, baseline: BASELINE });
  if (!isMigrated) throw new Error('The database has not been migrated to this version.');
}

/**
 * Migrates a database: pending migrations in order, then missing collections and indexes. One process works at a time,
 * under a lease; others wait and find it done. Deletes nothing, so migrations and indexes of a later version stay.
 * @throws the error of a failed step, after which the earlier steps stay done; Error, without a change, when the data
 * has another baseline
 */
export async function migrateDatabase(mongo: Mongo, schema: Schema, options: MigrateOptions): Promise<void> {
  const { signal, log } = options;
  const lease = createLease(mongo, 'migration', { ttlMs: options.leaseTtlMs ?? LEASE_TTL_MS });
  const whileHeld = (held: AbortSignal) =>
    work(mongo, schema, options, held).catch((error: unknown) => {
      // The step stopped because the lease was lost, which is not a failure.
      if (held.aborted) return false;
      throw error;
    });
  const underLease = () => lease.whileHeld(whileHeld, signal).finally(() => lease.release().catch(ignore));

  for (let isAlone = true; ;) {
    signal.throwIfAborted();
    const isHeld = await lease.hold();
    if (isHeld && (await underLease())) return;
    if (isHeld) continue;
    if (isAlone) log.info('waiting for another process to migrate');
    isAlone = false;
    await delay(RETRY_LEASE_MS, undefined, { signal }).catch(ignore);
  }
}

const ignore = () => undefined;

/** False if the lease was lost before the end. */
async function work(mongo: Mongo, schema: Schema, options: MigrateOptions, held: AbortSignal): Promise<boolean> {
  const startMs = performance.now();
  const done = await migrationsDone(mongo);
  for (const { id, up } of schema.migrations.filter((migration) => !done.includes(migration.id))) {
    if (held.aborted) return false;
    const stepMs = performance.now();
    await up(mongo.db, held);
    await record(mongo, id, stepMs, options);
  }
  if (held.aborted) return false;
  await ensureIndexes(mongo, schema.models, options.log);
  await options.more?.();
  if (!done.includes(schema.id)) await record(mongo, schema.id, startMs, options);
  return true;
}

async function migrationsDone(mongo: Mongo): Promise<string[]> {
  const ledger = await mongo.model(migrationModel).find().lean();
  if (ledger.every(({ baseline }) => baseline === BASELINE)) return ledger.map(({ _id }) => _id);
  throw new Error(
    `The database ${mongo.db.databaseName} contains data of another build, which this one cannot read: ` +
      'start with an empty database (on the local stack: npm start -- --fresh).',
  );
}

async function record(mongo: Mongo, id: string, startMs: number, { version, log }: MigrateOptions): Promise<void> {
  const durationMs = Math.round(performance.now() - startMs);
  const entry = { version, at: new Date(), durationMs, baseline: BASELINE };
  await mongo.model(migrationModel).updateOne({ _id: id }, { $setOnInsert: entry }, { upsert: true });
  log.info({ migration: id, durationMs }, 'migrated');
}

const NAMESPACE_EXISTS = 48;

/**
 * Creates the collections and indexes that models declare and the database lacks. Idempotent and safe to run
 * concurrently. Deletes nothing: undeclared collections and indexes are logged.
 * @throws the server's error when an index of the same name has another definition
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
  // One command creates all of them, with the collection: each command waits for the server's journal.
  if (indexes.length > 0) await mongo.db.collection(collection).createIndexes(indexes);
  const { toDrop } = await mongo.model(definition as ModelDefinition).diffIndexes();
  for (const index of toDrop) log.warn({ collection, index }, 'no model declares this index');
}

/** Explicitly, because concurrent transactions that create a collection implicitly conflict. */
async function createCollection({ db }: Mongo, { collection, timeSeries }: AnyModel): Promise<void> {
  try {
    await db.createCollection(collection, timeSeries && { timeseries: timeSeries });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== NAMESPACE_EXISTS) throw error;
  }
}
