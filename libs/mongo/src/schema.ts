import { createHash } from 'node:crypto';
import type { Db } from './driver.js';
import { idempotencyKeyModel } from './idempotency-store.js';
import { leaseModel } from './lease.js';
import { migrationModel } from './ledger.js';
import type { AnyModel } from './model.js';

/** One change of the stored data. */
export interface Migration {
  /** Its place in the order, and what it does: `0001-names-in-lower-case`. */
  id: string;
  /**
   * Makes the change. Must be idempotent: it runs again when its process died during it. The previous version of the service
   * still runs meanwhile and must tolerate the change. A long one throws when the signal is aborted; one that returns is
   * recorded as done.
   */
  up: (db: Db, signal: AbortSignal) => Promise<void>;
}

/** What a version of a service needs of its database. */
export interface Schema {
  models: readonly AnyModel[];
  migrations: readonly Migration[];
  /** Stands for all of it: the same for two versions that need the same. */
  id: string;
}

const MIGRATION_ID = /^\d{4}(-[a-z0-9]+)+$/;

/** Declares what a service needs of its database. @throws Error when the migrations are not in the order of their ids */
export function defineSchema({ models, migrations }: Omit<Schema, 'id'>): Schema {
  const ids = migrations.map(({ id }) => id);
  ids.forEach((id, index) => {
    if (!MIGRATION_ID.test(id)) throw new Error(`A migration's id must look like 0001-what-it-does: ${id}`);
    if (index > 0 && id.slice(0, 4) <= ids[index - 1]!.slice(0, 4)) throw new Error(`${id} is not in its place`);
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
