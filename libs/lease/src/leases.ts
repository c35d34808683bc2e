import { randomUUID } from 'node:crypto';
import type { Model } from 'mongoose';
import mongoose from 'mongoose';

/** The lease of a document, stored inside it. */
export interface LeaseState {
  /** Grows with each claim. Only the holder with the latest fence may write. */
  fence: number;
  /** When the lease expires unless extended. Absent while no process holds it. */
  until?: Date;
}

interface HeldUpdate {
  $set?: object;
  $unset?: object;
  $push?: object;
  $inc?: object;
  $addToSet?: object;
  $currentDate?: object;
}

/** A write of the holder; with `release`, its last one. */
export interface HeldWrite<T> {
  held: T;
  update: HeldUpdate;
  release?: boolean;
}

interface ClaimOptions {
  /** Fields to set with the claim, as in a `$set` stage. Wrap values from callers in `$literal`. */
  set?: Record<string, unknown>;
  /** Claims even from a holder that may be alive. The fence stops its writes. */
  takeOver?: boolean;
  /** Inserts the document if it does not exist. The filter must contain its `_id`. */
  upsert?: boolean;
  /** How long the claim waits for a transaction that has written the document, before the driver throws. */
  maxTimeMS?: number;
}

type Filter = Record<string, unknown>;

export type Leases<T extends { _id: string }> = ReturnType<typeof createLeases<T>>;

/**
 * Leases on the documents of a collection. All times are the database's, so clocks of processes need not agree. Claims
 * and heartbeats do not raise the document's revision.
 * @param options.path the field of the `LeaseState`; `''` for the document itself
 * @param options.ttlMs lifetime of a lease after its last heartbeat
 * @param options.held further conditions that hold while a lease is held
 */
export function createLeases<T extends { _id: string }>(
  model: Model<T>,
  { path = 'lease', ttlMs, held: whileHeld = {} }: { path?: string; ttlMs: number; held?: Filter },
) {
  const prefix = path === '' ? '' : `${path}.`;
  const fence = `${prefix}fence`;
  const until = `${prefix}until`;
  const nextEnd = { $add: ['$$NOW', ttlMs] };
  /** Also true if the document was never held: a missing date sorts lowest. */
  const hasEnded = { $expr: { $lte: [`$${until}`, '$$NOW'] } };
  const lost = (filter: Filter): Filter => ({ ...filter, [until]: { $exists: true }, ...hasEnded });

  const heldBy = (held: T): Filter => ({
    ...whileHeld,
    _id: held._id,
    [fence]: valueAt(held, fence),
    [until]: mongoose.trusted({ $exists: true }),
  });

  const claimed = (set: Record<string, unknown> = {}) => ({
    ...set,
    [fence]: { $add: [{ $ifNull: [`$${fence}`, 0] }, 1] },
    [until]: nextEnd,
  });
  async function expireIn(held: T, delayMs: number, set: Record<string, unknown> = {}): Promise<boolean> {
    const $set = { ...set, [until]: { $add: ['$$NOW', delayMs] } };
    return (await model.collection.updateOne(heldBy(held), [{ $set }])).matchedCount === 1;
  }
  return {
    ttlMs,
    /** Matches while the lease is held with this fence. */
    heldBy,
    /** Matches documents that no process holds or whose lease has expired. */
    free: (filter: Filter): Filter => ({ ...filter, $expr: mongoose.trusted(hasEnded.$expr) }),

    /** Claims a matching document that no process holds. @returns it with the new fence */
    async claim(
      filter: Filter,
      { set, takeOver, upsert = false, maxTimeMS }: ClaimOptions = {},
    ): Promise<T | undefined> {
      const write = async (wanted: Filter, options: { upsert?: boolean } = {}) => {
        const pipeline = [{ $set: claimed(set) }];
        const all = { ...options, ...(maxTimeMS !== undefined && { maxTimeMS }), returnDocument: 'after' as const };
        return ((await model.collection.findOneAndUpdate(wanted, pipeline, all)) as T | null) ?? undefined;
      };
      // No fence is negative: this inserts the document, or fails because it exists.
      const inserted = upsert
        ? await write({ _id: filter._id, [fence]: { $lt: 0 } }, { upsert }).catch(undefinedIfThere)
        : undefined;
      return inserted ?? write(takeOver ? filter : { ...filter, ...hasEnded });
    },

    /**
     * Claims matching documents in the order of `sort`. The filter must exclude documents that are held. Each stores
     * the id of its claim, in `claim`, next to its fence.
     * @returns those that no concurrent process claimed, with their new fences
     */
    claimMany: (filter: Filter, { set, ...found }: ManyOptions & Pick<ClaimOptions, 'set'>): Promise<T[]> =>
      claimMany(model, filter, { ...found, set: claimed(set), path: `${prefix}claim` }),

    /** Heartbeat: extends a lease and sets fields, as `claim` does. False if the lease was lost or released. */
    extend: (held: T, set?: Record<string, unknown>): Promise<boolean> => expireIn(held, ttlMs, set),

    /**
     * Makes a lease expire after a delay, so that any process may then claim the document, and sets fields as `claim`
     * does. The holder must stop its heartbeat. False if the lease was lost.
     */
    expireIn,

    /** Writes as the holder; with `release`, for the last time. False if the lease was lost. */
    async write(
      held: T,
      update: HeldUpdate,
      { release, session }: { release?: boolean; session?: mongoose.mongo.ClientSession } = {},
    ): Promise<boolean> {
      const all = withRelease(update, until, release);
      return (await model.updateOne(heldBy(held) as never, all, { session })).matchedCount === 1;
    },

    /** Several writes in one command. False if any had no effect because its lease was lost. */
    async writeMany(writes: readonly HeldWrite<T>[]): Promise<boolean> {
      const operations = writes.map(({ held, update, release }) => ({
        updateOne: { filter: heldBy(held), update: withRelease(update, until, release) },
      }));
      return (await model.bulkWrite(operations)).matchedCount === writes.length;
    },

    /** Releases the lease, so that the next holder need not wait for it to expire. */
    async release(held: T): Promise<boolean> {
      return (await model.collection.updateOne(heldBy(held), { $unset: { [until]: 1 } })).matchedCount === 1;
    },

    /** A held document, read with majority read concern. */
    async findHeld(filter: Filter): Promise<T | undefined> {
      const held = { ...filter, $expr: { $gt: [`$${until}`, '$$NOW'] } };
      return ((await model.collection.findOne(held as never)) as T | null) ?? undefined;
    },

    /** Documents whose lease has expired, longest first. @param fields to read; defaults to all */
    async findLost<K extends keyof T & string = keyof T & string>(
      filter: Filter = {},
      limit = 1000,
      fields: readonly K[] = [],
    ): Promise<Pick<T, K | '_id'>[]> {
      const projection = Object.fromEntries(fields.map((field) => [field, 1]));
      const found = model.collection.find(lost(filter) as never, { sort: { [until]: 1 }, limit, projection });
      return (await found.toArray()) as unknown as Pick<T, K | '_id'>[];
    },
  };
}

const valueAt = (document: object, path: string): unknown =>
  path.split('.').reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], document);

/** The update, which also releases the lease if it is the last one. */
function withRelease(update: HeldUpdate, until: string, release = false): HeldUpdate {
  return release ? { ...update, $unset: { ...update.$unset, [until]: 1 } } : update;
}

const DUPLICATE_KEY = 11000;

function undefinedIfThere(error: unknown): undefined {
  if ((error as { code?: unknown }).code !== DUPLICATE_KEY) throw error;
}

interface ManyOptions {
  sort?: Record<string, 1 | -1>;
  limit: number;
}

interface Claim extends ManyOptions {
  /** Fields to set, as in a `$set` stage. */
  set: Record<string, unknown>;
  /** The field for the id of the claim. */
  path: string;
}

async function claimMany<T extends { _id: string }>(
  model: Model<T>,
  filter: Record<string, unknown>,
  { set, path, sort, limit }: Claim,
): Promise<T[]> {
  const { collection } = model;
  const found = await collection.find(filter as never, { projection: { _id: 1 }, sort, limit }).toArray();
  if (found.length === 0) return [];
  const _id = { $in: found.map((one) => one._id) };
  const claim = { [path]: randomUUID() };
  const { modifiedCount } = await collection.updateMany({ ...filter, _id }, [{ $set: { ...set, ...claim } }]);
  const claimed =
    modifiedCount === 0
      ? []
      : ((await collection.find({ _id, ...claim } as never, { sort }).toArray()) as unknown as T[]);
  const taken = found.length - modifiedCount;
  if (taken === 0) return claimed;
  // Other processes claimed some of them: there may be more.
  return [...claimed, ...(await claimMany(model, filter, { set, path, sort, limit: limit - modifiedCount }))];
}
