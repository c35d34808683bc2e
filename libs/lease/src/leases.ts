import { randomUUID } from 'node:crypto';
import type { Model } from 'mongoose';
import mongoose from 'mongoose';

/** The lease of a document, as a part of it. */
export interface LeaseState {
  /** Rises with each claim. Only the holder with the latest one may write. */
  fence: number;
  /** When the lease expires unless it is extended. Absent while no process holds it. */
  until?: Date;
}

/** What the holder of a lease writes. */
interface HeldUpdate {
  $set?: object;
  $unset?: object;
  $push?: object;
  $inc?: object;
  $addToSet?: object;
  $currentDate?: object;
}

/** A write of the holder; with `release`, the last one. */
export interface HeldWrite<T> {
  held: T;
  update: HeldUpdate;
  release?: boolean;
}

interface ClaimOptions {
  /** Fields to set with the claim, as in a `$set` stage: values from callers belong into `$literal`. */
  set?: Record<string, unknown>;
  /** Claims the document even from a holder that may still be alive. The fence keeps that one from writing. */
  takeOver?: boolean;
  /** Inserts the document if it does not exist. The filter must contain its `_id`. */
  upsert?: boolean;
  /** How long the claim waits for a transaction that has written the document. A longer wait is an error of the driver. */
  maxTimeMS?: number;
}

type Filter = Record<string, unknown>;

export type Leases<T extends { _id: string }> = ReturnType<typeof createLeases<T>>;

/**
 * Leases on the documents of a collection. All times are the database's, so the clocks of processes need not agree.
 * Claims and heartbeats do not raise the revision of a document.
 * @param options.path the field that holds the `LeaseState`; `''` for the document itself
 * @param options.ttlMs how long a lease lasts after its last heartbeat
 * @param options.held further conditions that hold as long as a lease is held
 */
export function createLeases<T extends { _id: string }>(
  model: Model<T>,
  { path = 'lease', ttlMs, held: whileHeld = {} }: { path?: string; ttlMs: number; held?: Filter },
) {
  const prefix = path === '' ? '' : `${path}.`;
  const fence = `${prefix}fence`;
  const until = `${prefix}until`;
  const nextEnd = { $add: ['$$NOW', ttlMs] };
  /** Also true when the document was never held: a missing date compares as the lowest. */
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
    /** Filter that matches while the lease is held with this fence. */
    heldBy,
    /** Filter for documents that no process holds, or whose holder has stopped its heartbeat. */
    free: (filter: Filter): Filter => ({ ...filter, $expr: mongoose.trusted(hasEnded.$expr) }),

    /** Claims a document that matches and that no process holds. @returns it with the new holder's fence */
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
     * Claims documents that match, the first ones in the order of `sort`. The filter must say that no process holds them. Each
     * stores the id of the claim that it is part of, in `claim`, beside its fence.
     * @returns those that no other process has claimed at the same time, with the new holder's fence
     */
    claimMany: (filter: Filter, { set, ...found }: ManyOptions & Pick<ClaimOptions, 'set'>): Promise<T[]> =>
      claimMany(model, filter, { ...found, set: claimed(set), path: `${prefix}claim` }),

    /**
     * Heartbeat: extends a lease, and sets fields as `claim` does. False when another process holds it, or it was
     * released.
     */
    extend: (held: T, set?: Record<string, unknown>): Promise<boolean> => expireIn(held, ttlMs, set),

    /**
     * Lets a lease expire after a while, so that any process may claim the document then, and sets fields as `claim` does. The
     * holder sends no more heartbeats. False when another process holds it.
     */
    expireIn,

    /** Writes as the holder; with `release`, for the last time. False when another process holds the lease. */
    async write(
      held: T,
      update: HeldUpdate,
      { release, session }: { release?: boolean; session?: mongoose.mongo.ClientSession } = {},
    ): Promise<boolean> {
      const all = withRelease(update, until, release);
      return (await model.updateOne(heldBy(held) as never, all, { session })).matchedCount === 1;
    },

    /** Does several writes at once. False when some had no effect, because another process holds those leases. */
    async writeMany(writes: readonly HeldWrite<T>[]): Promise<boolean> {
      const operations = writes.map(({ held, update, release }) => ({
        updateOne: { filter: heldBy(held), update: withRelease(update, until, release) },
      }));
      return (await model.bulkWrite(operations)).matchedCount === writes.length;
    },

    /** Gives the lease back, so that the next holder need not wait until it expires. */
    async release(held: T): Promise<boolean> {
      return (await model.collection.updateOne(heldBy(held), { $unset: { [until]: 1 } })).matchedCount === 1;
    },

    /** A document that a process holds, as the majority knows it. */
    async findHeld(filter: Filter): Promise<T | undefined> {
      const held = { ...filter, $expr: { $gt: [`$${until}`, '$$NOW'] } };
      return ((await model.collection.findOne(held as never)) as T | null) ?? undefined;
    },

    /**
     * Documents whose holder has stopped its heartbeat, the longest lost first. @param fields those to read; all by
     * default
     */
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

/** The update, which releases the lease as well if it is the last one. */
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
  /** The field that stores the id of the claim. */
  path: string;
}

/** See `claimMany` of leases. */
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
  // Other processes were faster: there may be more.
  return [...claimed, ...(await claimMany(model, filter, { set, path, sort, limit: limit - modifiedCount }))];
}
