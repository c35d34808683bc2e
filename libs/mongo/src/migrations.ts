import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from 'mongodb';
import type { Logger } from '@dtplatform/logging';
import { ensureIndexes } from './indexes.js';
import { createLease } from './lease.js';
import type { Schema } from './schema.js';

const LEDGER = 'migrations';
/** Longer than a process may reasonably stand still, shorter than an operator waits. */
const LEASE_TTL_MS = 15_000;
const ASK_FOR_LEASE_EVERY_MS = 500;

/** What was done to a database: a migration, or all that a version needs. */
interface LedgerEntry {
  _id: string;
  /** Of the service that did it. */
  version: string;
  at: Date;
  durationMs: number;
}

export interface MigrateOptions {
  /** The service's own, for the ledger. */
  version: string;
  log: Logger;
  /** Ends the work between two steps. */
  signal: AbortSignal;
  /** What else there is to do, each time, after migrations and indexes. Idempotent. */
  more?: () => Promise<void>;
  leaseTtlMs?: number;
}

const ledgerOf = (db: Db) => db.collection<LedgerEntry>(LEDGER);

/** Resolves when a database holds what a version needs. @throws Error while it does not, and the driver's errors */
export async function requireSchema(db: Db, { id }: Schema): Promise<void> {
  const entry = await ledgerOf(db).findOne({ _id: id }, { projection: { _id: 1 } });
  if (!entry) throw new Error('The database is not migrated to what this version needs.');
}

/**
 * Brings a database to what a version needs: the migrations that its ledger does not hold, in order, then collections and indexes
 * that are missing. One process at a time works, under a lease; others wait and find it done. Takes nothing away, so a later
 * version's migrations and indexes stay. @throws the error of the step that failed; those before it are kept
 */
export async function migrateDatabase(db: Db, schema: Schema, options: MigrateOptions): Promise<void> {
  const { signal, log } = options;
  const lease = createLease(db, 'migration', { ttlMs: options.leaseTtlMs ?? LEASE_TTL_MS });
  const whileHeld = (held: AbortSignal) =>
    work(db, schema, options, held).catch((error: unknown) => {
      // It was told to end, which is no failure of what it did.
      if (held.aborted) return false;
      throw error;
    });
  const underLease = () => lease.whileHeld(whileHeld, signal).finally(() => lease.release().catch(ignore));

  for (let isAlone = true; ;) {
    signal.throwIfAborted();
    const isHeld = await lease.hold();
    if (isHeld && (await underLease())) return;
    if (isHeld) continue;
    if (isAlone) log.info('another process migrates; waiting for it');
    isAlone = false;
    await delay(ASK_FOR_LEASE_EVERY_MS, undefined, { signal }).catch(ignore);
  }
}

const ignore = () => undefined;

/** False when the lease was lost on the way. */
async function work(db: Db, schema: Schema, options: MigrateOptions, held: AbortSignal): Promise<boolean> {
  const startMs = performance.now();
  const known = new Set(
    (
      await ledgerOf(db)
        .find({}, { projection: { _id: 1 } })
        .toArray()
    ).map(({ _id }) => _id),
  );
  for (const { id, up } of schema.migrations.filter((migration) => !known.has(migration.id))) {
    if (held.aborted) return false;
    const stepMs = performance.now();
    await up(db, held);
    await record(db, id, stepMs, options);
  }
  if (held.aborted) return false;
  await ensureIndexes(db, schema.indexes);
  await options.more?.();
  if (!known.has(schema.id)) await record(db, schema.id, startMs, options);
  return true;
}

async function record(db: Db, id: string, startMs: number, { version, log }: MigrateOptions): Promise<void> {
  const durationMs = Math.round(performance.now() - startMs);
  const entry = { version, at: new Date(), durationMs };
  await ledgerOf(db).updateOne({ _id: id }, { $setOnInsert: entry }, { upsert: true });
  log.info({ migration: id, durationMs }, 'migrated');
}
