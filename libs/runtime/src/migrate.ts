import type { z } from 'zod';
import { mongoSettings, processSettings, wholeNumber } from '@dtplatform/config';
import type { ErrorMapper } from '@dtplatform/http';
import { connectMongo, migrateDatabase, mongoErrors } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { ProcessContext, ServiceDefinition } from './service-config.js';
import { waitForBackends } from './wait-for-backends.js';

export const migrationSettings = {
  ...processSettings,
  ...mongoSettings,
  /** How long to wait for unavailable backends, in milliseconds. */
  MIGRATION_WAIT_MS: wholeNumber(0).default(120_000),
};
type MigrationConfig = z.infer<z.ZodObject<typeof migrationSettings>>;

export interface MigrateOptions {
  /** Further work after migrations and indexes. Must be idempotent: every run does it. */
  more?: (mongo: Mongo) => Promise<void>;
  /** Map its errors to those of unavailable backends. */
  errorMappers?: ErrorMapper[];
}

/**
 * Migrates a service's database to what this version needs. Idempotent; concurrent runs wait for one another. Waits for
 * unavailable backends. The process exits afterwards.
 * @throws when it failed or was interrupted
 */
export async function migrate(
  { name, schema, version }: ServiceDefinition & { version: string },
  config: MigrationConfig,
  { log, lifecycle }: ProcessContext,
  { more, errorMappers = [] }: MigrateOptions = {},
): Promise<void> {
  const { MONGO_URL: url, MONGO_DB: database, MIGRATION_WAIT_MS: waitMs } = config;
  const mongo = await connectMongo({ url, database, appName: `${name}-migrate`, log });
  lifecycle.onStop('mongodb', () => mongo.close());

  const stopping = new AbortController();
  const { signal } = stopping;
  const work = async () => {
    signal.throwIfAborted();
    await mongo.ping();
    await migrateDatabase(mongo, schema, { version, log, signal, more: () => Promise.resolve(more?.(mongo)) });
  };
  const working = waitForBackends(work, { waitMs, errorMappers: [mongoErrors, ...errorMappers], signal, log });
  lifecycle.onStop('migration', async () => {
    stopping.abort(new Error('The migration was stopped before its end.'));
    await working.catch(() => undefined);
  });
  await working;
  await lifecycle.stop('the migration is complete');
}
