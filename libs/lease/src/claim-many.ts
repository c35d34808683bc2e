import { randomUUID } from 'node:crypto';
import type { Model } from 'mongoose';

export interface ManyOptions {
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
export async function claimMany<T extends { _id: string }>(
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
