import { createHash } from 'node:crypto';
import type { Db } from 'mongodb';
import { idempotencyIndexes } from './idempotency-store.js';
import type { IndexPlan } from './indexes.js';

/** One change of what a database holds. */
export interface Migration {
  /** Its place in the order and what it does: `0001-names-in-lower-case`. */
  id: string;
  /**
   * Makes the change. It runs again when its process died in it, so doing it twice must be the same as once; and it runs while the
   * version before is still at work, which must be able to live with it. Long ones throw when the signal is aborted: what returns
   * counts as done.
   */
  up: (db: Db, signal: AbortSignal) => Promise<void>;
}

/** What a version of a service needs of its database. */
export interface Schema {
  indexes: IndexPlan;
  migrations: readonly Migration[];
  /** Stands for all of it: the same for two versions that need the same. */
  id: string;
}

const MIGRATION_ID = /^\d{4}(-[a-z0-9]+)+$/;

/** Declares what a service needs of its database. @throws Error when the migrations are not in the order of their ids */
export function defineSchema({
  indexes,
  migrations,
}: {
  indexes: IndexPlan;
  migrations: readonly Migration[];
}): Schema {
  const ids = migrations.map(({ id }) => id);
  ids.forEach((id, index) => {
    if (!MIGRATION_ID.test(id)) throw new Error(`A migration's id must look like 0001-what-it-does: ${id}`);
    if (index > 0 && id.slice(0, 4) <= ids[index - 1]!.slice(0, 4)) throw new Error(`${id} is not in its place`);
  });
  const all = { ...idempotencyIndexes, ...indexes };
  const hash = createHash('sha256').update(JSON.stringify([all, ids]));
  return { indexes: all, migrations, id: `schema-${hash.digest('hex').slice(0, 16)}` };
}
