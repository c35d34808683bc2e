import { once } from '@dtplatform/lifecycle';
import { connectMongo, requireSchema } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { ReadinessChecks } from '@dtplatform/http';
import type { ProcessContext } from './process-context.js';
import type { ServiceDefinition } from './service-definition.js';

export interface Database {
  mongo: Mongo;
  /** That the server answers, and that the database is migrated to what this version needs. */
  checks: ReadinessChecks & { migrations: () => Promise<void> };
}

/** Connects to a service's database until the lifecycle stops. Does not wait for it: the checks report when it answers. */
export async function openDatabase(
  { name, schema }: ServiceDefinition,
  config: { MONGO_URL: string; MONGO_DB: string },
  { log, lifecycle }: ProcessContext,
): Promise<Database> {
  const mongo = await connectMongo({ url: config.MONGO_URL, database: config.MONGO_DB, appName: name, log });
  lifecycle.onStop('mongodb', () => mongo.close());
  return {
    mongo,
    checks: { mongodb: () => mongo.ping(), migrations: once(() => requireSchema(mongo, schema)) },
  };
}
