import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@dtplatform/logging';
import type { Mongo } from './connect.js';
import { ensureIndexes } from './indexes.js';
import { createLease } from './lease.js';
import { BASELINE, migrationModel } from './ledger.js';
import type { Schema } from './schema.js';

/** Longer than a process may reasonably stand still, shorter than an operator waits. */
const LEASE_TTL_MS = 15_000;
const RETRY_LEASE_MS = 500;

export interface MigrateOptions {
  /** Of the service, for the ledger. */
  version: string;
  log: Logger;
  /** Ends the work between two steps. */
  signal: AbortSignal;
  /** Further steps, on every run, after migrations and indexes. Must be idempotent. */
  more?: () => Promise<void>;
  leaseTtlMs?: number;
}

/** Resolves once a database is migrated to what a version needs. @throws Error until then, and the driver's errors */
export async function requireSchema(mongo: Mongo, { id }: Schema): Promise<void> {
  const isMigrated = await mongo.model(migrationModel).exists({ _id: id, baseline: BASELINE });
  if (!isMigrated) throw new Error('The database is not migrated to what this version needs.');
}

/**
 * Migrates a database to what a version needs: the migrations that its ledger lacks, in order, then missing collections and
 * indexes. One process at a time works, under a lease; others wait and find it done. Deletes nothing, so migrations and
 * indexes of a later version stay. @throws the error of the step that failed; the steps before it stay done. Error, and does
 * nothing, when the data are of another baseline
 */
export async function migrateDatabase(mongo: Mongo, schema: Schema, options: MigrateOptions): Promise<void> {
  const { signal, log } = options;
  const lease = createLease(mongo, 'migration', { ttlMs: options.leaseTtlMs ?? LEASE_TTL_MS });
  const whileHeld = (held: AbortSignal) =>
    work(mongo, schema, options, held).catch((error: unknown) => {
      // It stopped because the lease was lost: that is no failure of the step.
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

/** False when the lease was lost before the end. */
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
    `The database ${mongo.db.databaseName} holds data of another build, which this one does not read: ` +
      'begin with an empty database (on the local stack: npm start -- --fresh).',
  );
}

async function record(mongo: Mongo, id: string, startMs: number, { version, log }: MigrateOptions): Promise<void> {
  const durationMs = Math.round(performance.now() - startMs);
  const entry = { version, at: new Date(), durationMs, baseline: BASELINE };
  await mongo.model(migrationModel).updateOne({ _id: id }, { $setOnInsert: entry }, { upsert: true });
  log.info({ migration: id, durationMs }, 'migrated');
}
