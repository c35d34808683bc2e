import { AsyncResource } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isUnavailable } from '@dtplatform/errors';
import type { Mongo } from './connect.js';
import { mongoErrors } from './errors.js';

export interface CoalesceOptions<K> {
  /** A batch ends with the key that reaches this weight. Default 100. */
  maxWeight?: number;
  /** Default 1. */
  weightOf?: (key: K) => number;
  /** Whether an error is unrelated to the keys, such as an unavailable database. It then fails the whole batch. */
  concernsAll?: (error: unknown) => boolean;
  /** Retries the keys of a failed batch concurrently. Default: one after the other. */
  retryTogether?: boolean;
}

interface Call<K, R> {
  /** The calling context, with its trace. */
  origin: AsyncResource;
  key: K;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

/**
 * Turns a function of many keys into a function of one. Batches run one at a time: calls during a batch form the next
 * one, so batches grow with the load. (DataLoader limits batches by count only and does not wait for the previous one.)
 * A batch of one runs in the context of its call, larger ones outside of any. If a batch fails, its keys are retried
 * one by one, so that a bad key fails only its own call.
 * @param run returns one result per key, in the same order, or nothing
 */
export function coalesce<K, R = void>(
  run: (keys: K[]) => Promise<R[] | void>,
  { maxWeight = 100, weightOf = () => 1, concernsAll = () => false, retryTogether = false }: CoalesceOptions<K> = {},
): (key: K) => Promise<R> {
  const waiting: Call<K, R>[] = [];
  const outside = new AsyncResource('coalesce');
  let isRunning = false;

  function takeBatch(): Call<K, R>[] {
    let weight = 0;
    let count = 0;
    while (count < waiting.length && weight < maxWeight) weight += weightOf(waiting[count++]!.key);
    return waiting.splice(0, count);
  }

  async function settle(batch: Call<K, R>[]): Promise<void> {
    try {
      const within = batch.length === 1 ? batch[0]!.origin : outside;
      const results = await within.runInAsyncScope(
        run,
        undefined,
        batch.map(({ key }) => key),
      );
      batch.forEach(({ resolve }, index) => resolve(results?.[index] as R));
    } catch (error) {
      if (batch.length === 1 || concernsAll(error)) for (const { reject } of batch) reject(error);
      else if (retryTogether) await Promise.all(batch.map((call) => settle([call])));
      else for (const call of batch) await settle([call]);
    }
  }

  async function drain(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    // Calls in the same turn of the event loop share a batch.
    await nextTurn();
    while (waiting.length > 0) await settle(takeBatch());
    isRunning = false;
  }

  return (key) =>
    new Promise<R>((resolve, reject) => {
      waiting.push({ key, resolve, reject, origin: new AsyncResource('coalesce') });
      void drain();
    });
}

/** For `coalesce`: how requests share a write. Each may cover many namespaces, with usage in each. */
export const SHARED_WRITE = {
  maxWeight: 32,
  retryTogether: true,
  concernsAll: (error: unknown) => isUnavailable(error) || mongoErrors(error) !== undefined,
};

/**
 * Lets concurrent requests share a transaction, whose commit costs more than the rest of a small write
 * (docs/adr/0010-group-commit.md). A request with an idempotency key, whose response is committed with it, and one above
 * the maximum weight get their own transaction. If a transaction fails, its requests are retried one by one.
 * @param writeAll writes everything in one transaction, or nothing. @returns one result per request
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
