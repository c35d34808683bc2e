import { mongoSettings, processSettings } from '@dtplatform/config';
import type { ProcessContext } from './foundation.js';
import { connectMongo, ensureIndexes, idempotencyIndexes } from '@dtplatform/mongo';
import type { IndexPlan, Mongo } from '@dtplatform/mongo';
import type { z } from 'zod';

export const migrationSettings = { ...processSettings, ...mongoSettings };
type MigrationConfig = z.infer<z.ZodObject<typeof migrationSettings>>;

/**
 * Brings a service's database to what this version needs: indexes, then whatever else the service says. Idempotent, and
 * safe when several replicas' migrations run at once. The process ends with it.
 */
export async function migrate<C extends MigrationConfig>(
  name: string,
  config: C,
  { log, lifecycle }: ProcessContext,
  indexes: IndexPlan,
  more?: (mongo: Mongo) => Promise<void>,
): Promise<void> {
  const mongo = await connectMongo({
    url: config.MONGO_URL,
    database: config.MONGO_DB,
    appName: `${name}-migrate`,
    log,
  });
  lifecycle.onStop('mongodb', () => mongo.close());
  await ensureIndexes(mongo.db, { ...idempotencyIndexes, ...indexes });
  await more?.(mongo);
  log.info('migrated');
  await lifecycle.stop('the migration is complete');
}
