import { isUnavailable } from '@dtplatform/errors';
import { coalesce } from './coalesce.js';
import type { Mongo } from './connect.js';
import { mongoErrors } from './errors.js';

/** For `coalesce`: how requests share a write. Each may be in many namespaces, with usage in each. */
export const SHARED_WRITE = {
  maxWeight: 32,
  retryTogether: true,
  concernsAll: (error: unknown) => isUnavailable(error) || mongoErrors(error) !== undefined,
};

/**
 * Lets requests at the same time share a transaction, whose commit costs more than the rest of a small write
 * (docs/adr/0030). A request with an idempotency key, whose reply is committed with it, and one that is heavier than a
 * transaction may be, have their own. If a transaction fails, each of its requests is tried alone.
 * @param writeAll writes all in one transaction, or nothing. @returns a result for each
 */
export function shareCommits<W, R>(
  mongo: Pick<Mongo, 'isKeyed'>,
  writeAll: (writes: W[]) => Promise<R[]>,
  {
    maxWeight = SHARED_WRITE.maxWeight,
    weightOf = () => 1,
  }: { maxWeight?: number; weightOf?: (write: W) => number } = {},
): (write: W) => Promise<R> {
  const shared = coalesce(writeAll, { ...SHARED_WRITE, maxWeight, weightOf });
  return async (write) =>
    mongo.isKeyed() || weightOf(write) > maxWeight ? (await writeAll([write]))[0]! : shared(write);
}
