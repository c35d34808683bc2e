import mongoose from 'mongoose';
import type { Model } from 'mongoose';

/** The lease of a document, as a part of it. */
export interface LeaseState {
  /** Rises with each claim. Of two holders one after the other, only the later may write. */
  fence: number;
  /** When the lease ends unless it is extended. Absent while nobody holds it. */
  until?: Date;
}

export interface ClaimOptions {
  /** More that the claim writes: the stage `$set` of an update pipeline. */
  set?: Record<string, unknown>;
  /** Claims it from a holder that may still be alive. The fence keeps that one from writing. */
  takeOver?: boolean;
  /** Inserts the document when there is none. The filter must name its `_id`. */
  upsert?: boolean;
}

type Filter = Record<string, unknown>;

export type Leases<T extends { _id: string }> = ReturnType<typeof createLeases<T>>;

/**
 * Leases on the documents of a collection. All times are the database's, so the clocks of processes need not agree.
 * Claims and heartbeats do not raise the revision of a document.
 * @param options.path the field that holds the `LeaseState`; `''` for the document itself
 * @param options.ttlMs how long a lease lasts after its last heartbeat
 */
export function createLeases<T extends { _id: string }>(
  model: Model<T>,
  { path = 'lease', ttlMs }: { path?: string; ttlMs: number },
) {
  const prefix = path === '' ? '' : `${path}.`;
  const fence = `${prefix}fence`;
  const until = `${prefix}until`;
  const nextEnd = { $add: ['$$NOW', ttlMs] };
  /** Also when it was never held: a missing date compares as the lowest. */
  const hasEnded = { $expr: { $lte: [`$${until}`, '$$NOW'] } };
  const lost = (filter: Filter): Filter => ({ ...filter, [until]: { $exists: true }, ...hasEnded });

  const fenceOf = (held: T): number =>
    fence.split('.').reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], held) as number;
  /** Operators here are never a caller's. */
  const heldBy = (held: T): Filter => ({
    _id: held._id,
    [fence]: fenceOf(held),
    [until]: mongoose.trusted({ $exists: true }),
  });

  return {
    ttlMs,
    heldBy,
    /** Documents that nobody holds, or whose holder stopped its heartbeat. */
    free: (filter: Filter): Filter => ({ ...filter, $expr: mongoose.trusted(hasEnded.$expr) }),

    /** Claims a document that matches and that nobody holds. Its fence is the holder's from now on. */
    async claim(filter: Filter, { set, takeOver, upsert = false }: ClaimOptions = {}): Promise<T | undefined> {
      const claimed = { ...set, [fence]: { $add: [{ $ifNull: [`$${fence}`, 0] }, 1] }, [until]: nextEnd };
      const write = async (wanted: Filter, options: { upsert?: boolean } = {}) => {
        const pipeline = [{ $set: claimed }];
        const all = { ...options, returnDocument: 'after' as const };
        return ((await model.collection.findOneAndUpdate(wanted as never, pipeline, all)) as T | null) ?? undefined;
      };
      // No document has such a fence: this inserts, or meets one that is there.
      const inserted = upsert
        ? await write({ _id: filter._id, [fence]: { $lt: 0 } }, { upsert }).catch(undefinedIfThere)
        : undefined;
      return inserted ?? write(takeOver ? filter : { ...filter, ...hasEnded });
    },

    /** Heartbeat: extends a lease, and sets more with it. False when another process holds it, or it was released. */
    async extend(held: T, set: Record<string, unknown> = {}): Promise<boolean> {
      const update = [{ $set: { ...set, [until]: nextEnd } }];
      return (await model.collection.updateOne(heldBy(held) as never, update)).matchedCount === 1;
    },

    /** Writes as the holder; with `release`, as its last write. False when another process holds the lease. */
    async write(
      held: T,
      update: { $set?: object; $unset?: object; $push?: object; $inc?: object; $addToSet?: object },
      { release = false, session }: { release?: boolean; session?: mongoose.mongo.ClientSession } = {},
    ): Promise<boolean> {
      const $unset = { ...update.$unset, ...(release ? { [until]: 1 } : {}) };
      const all = { ...update, ...(Object.keys($unset).length > 0 ? { $unset } : {}) };
      return (await model.updateOne(heldBy(held) as never, all as never, { session })).matchedCount === 1;
    },

    /** Gives the lease back, so that the next holder need not wait for its end. */
    async release(held: T): Promise<boolean> {
      return (await model.collection.updateOne(heldBy(held) as never, { $unset: { [until]: 1 } })).matchedCount === 1;
    },

    /** Documents whose holder stopped its heartbeat, the longest lost first. */
    async findLost(filter: Filter = {}, limit = 1000): Promise<T[]> {
      const found = model.collection.find(lost(filter) as never, { sort: { [until]: 1 }, limit });
      return (await found.toArray()) as unknown as T[];
    },

    /** Extends the leases of lost documents for their holders, so that `findLost` reports them again only after another `ttlMs`. */
    async extendLost(filter: Filter): Promise<void> {
      await model.collection.updateMany(lost(filter) as never, [{ $set: { [until]: nextEnd } }]);
    },
  };
}

const DUPLICATE_KEY = 11000;

function undefinedIfThere(error: unknown): undefined {
  if ((error as { code?: unknown }).code !== DUPLICATE_KEY) throw error;
}
