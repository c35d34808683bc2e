import { isUnavailable } from '@dtplatform/errors';
import { mongoErrors } from '@dtplatform/mongo';
import type { Mongo, TransactionOptions } from '@dtplatform/mongo';
import { coalesce } from '@dtplatform/queue';

/** For `coalesce`: how requests share a write. Each may be in many namespaces, with usage in each. */
export const SHARED_WRITE = {
  maxWeight: 32,
  retryTogether: true,
  concernsAll: (error: unknown) => isUnavailable(error) || mongoErrors(error) !== undefined,
};

/**
 * Lets requests at the same time share a transaction, whose commit costs more than the rest of a small write
 * (docs/adr/0030). A request with an idempotency key has its own, which is committed with its reply.
 * @param writeAll writes all in one transaction, or nothing. @returns a result for each
 */
export function shareCommits<W, R>(
  mongo: Pick<Mongo, 'isKeyed'>,
  writeAll: (writes: W[], options?: TransactionOptions<R[]>) => Promise<R[]>,
): (write: W, options?: TransactionOptions<R[]>) => Promise<R> {
  const shared = coalesce((writes: W[]) => writeAll(writes), SHARED_WRITE);
  return async (write, options) => (mongo.isKeyed() ? (await writeAll([write], options))[0]! : shared(write));
}
