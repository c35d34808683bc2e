import type { Mongo } from './connect.js';
import { MongoError } from './driver.js';
import type { ClientSession } from './driver.js';
import { isDuplicateKey } from './errors.js';
import { defineModel, id, number } from './model.js';

/**
 * Inserts below a parent write one of this many documents, chosen at random. More stripes mean fewer conflicts between
 * inserts, and a slower `lockParent`.
 */
const STRIPES = 32;
/** Longer than any transaction. A lock matters only to concurrent transactions. */
const KEPT_FOR_SEC = 3600;

interface ParentLock {
  _id: string;
  writes: number;
  at: Date;
}

/** Documents that transactions write in order to conflict: inserts below a parent, and its removal. */
export const parentLockModel = defineModel<ParentLock>(
  'parent_locks',
  { _id: id, writes: number, at: Date },
  { indexes: [{ key: { at: 1 }, name: 'expiry', expireAfterSeconds: KEPT_FOR_SEC }] },
);
/**
 * Call it first in a transaction that inserts below parents, then read the parents in the same transaction. Their
 * state, as far as `lockParent` guards it, holds until the commit. Inserts rarely conflict with each other. The parents
 * and their revisions do not change.
 */
export const touchParents = (mongo: Mongo, parentIds: readonly string[], session: ClientSession): Promise<void> =>
  write(
    mongo,
    parentIds.map((parentId) => stripeOf(parentId, Math.floor(Math.random() * STRIPES))),
    session,
  );

/**
 * Call it in a transaction that removes a parent, or changes something that depends on everything below it: it
 * conflicts with every concurrent insert and then runs again.
 */
export const lockParent = (mongo: Mongo, parentId: string, session: ClientSession): Promise<void> =>
  lockParents(mongo, [parentId], session);

/** `lockParent` for several parents. Costs 32 writes each. */
export const lockParents = (mongo: Mongo, parentIds: readonly string[], session: ClientSession): Promise<void> =>
  write(
    mongo,
    parentIds.flatMap((parentId) => Array.from({ length: STRIPES }, (_, stripe) => stripeOf(parentId, stripe))),
    session,
  );

/**
 * Makes transactions that lock the same name conflict: the later one runs again and sees the earlier one's writes. One
 * write per name; independent of `touchParents` and `lockParent`.
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
  // The counter guarantees a change: the date may be equal twice.
  const update = { $inc: { writes: 1 }, $currentDate: { at: true } };
  const writes = ids.map((_id) => ({ updateOne: { filter: { _id }, update, upsert: true } }));
  try {
    await mongo.collection(parentLockModel).bulkWrite(writes as never, { session });
  } catch (error) {
    // A concurrent transaction inserted the same document.
    if (isDuplicateKey(error) && error instanceof MongoError) error.addErrorLabel('TransientTransactionError');
    throw error;
  }
}
