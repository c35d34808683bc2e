import type { Mongo } from './connect.js';
import { MongoError } from './driver.js';
import type { ClientSession } from './driver.js';
import { isDuplicateKey } from './errors.js';
import { defineModel, id, number } from './model.js';

/**
 * Inserts below one parent write one of so many documents, picked at random: more make conflicts between them rarer, and
 * `lockParent` slower.
 */
const STRIPES = 32;
/** Longer than any transaction lasts. A lock has no meaning beyond those that write it. */
const KEPT_FOR_SEC = 3600;

interface ParentLock {
  _id: string;
  writes: number;
  at: Date;
}

/** What transactions write to notice each other: those that insert below a parent, and one that removes the parent. */
export const parentLockModel = defineModel<ParentLock>(
  'parent_locks',
  { _id: id, writes: number, at: Date },
  { indexes: [{ key: { at: 1 }, name: 'expiry', expireAfterSeconds: KEPT_FOR_SEC }] },
);
/**
 * Call it first in a transaction that inserts something below parents, then read the parents in the same transaction: they
 * remain as they are read until the commit, as far as `lockParent` guards them. Inserts rarely conflict with each other. The
 * parents themselves, with their revisions, do not change.
 */
export const touchParents = (mongo: Mongo, parentIds: readonly string[], session: ClientSession): Promise<void> =>
  write(
    mongo,
    parentIds.map((parentId) => stripeOf(parentId, Math.floor(Math.random() * STRIPES))),
    session,
  );

/**
 * Call it in a transaction that removes a parent, or changes what depends on all that is below it: the transaction then
 * conflicts with every concurrent insert, and runs again after it.
 */
export const lockParent = (mongo: Mongo, parentId: string, session: ClientSession): Promise<void> =>
  lockParents(mongo, [parentId], session);

/** The same for several parents. Costs 32 writes for each. */
export const lockParents = (mongo: Mongo, parentIds: readonly string[], session: ClientSession): Promise<void> =>
  write(
    mongo,
    parentIds.flatMap((parentId) => Array.from({ length: STRIPES }, (_, stripe) => stripeOf(parentId, stripe))),
    session,
  );

/**
 * Makes transactions that lock the same name conflict: the later one runs again, on what the earlier one wrote. One write for
 * each name; independent of `touchParents` and `lockParent`.
 */
export const lockNames = (mongo: Mongo, names: readonly string[], session: ClientSession): Promise<void> =>
  write(
    mongo,
    names.map((name) => `${name}/name`),
    session,
  );

const stripeOf = (parentId: string, stripe: number) => `${parentId}/${stripe}`;

async function write(mongo: Mongo, ids: string[], session: ClientSession): Promise<void> {
  if (ids.length === 0) return;
  // The counter makes sure that there is something to write: a date may be the same twice.
  const update = { $inc: { writes: 1 }, $currentDate: { at: true } };
  const writes = ids.map((_id) => ({ updateOne: { filter: { _id }, update, upsert: true } }));
  try {
    await mongo.collection(parentLockModel).bulkWrite(writes as never, { session });
  } catch (error) {
    // Another transaction has inserted the same document.
    if (isDuplicateKey(error) && error instanceof MongoError) error.addErrorLabel('TransientTransactionError');
    throw error;
  }
}
