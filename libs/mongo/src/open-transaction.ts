import { isDeepStrictEqual } from 'node:util';
import { commonErrors } from '@dtplatform/errors';
import { MongoError } from './driver.js';
import type { ClientSession } from './driver.js';
import type { StartedTransaction, TransactionWork } from './transaction.js';

/** Starts a transaction on the connection of the caller. */
export type StartTransaction = <T>(work: TransactionWork<T>) => StartedTransaction<T>;

/** Whether a transaction is committed, is not, or may be. */
export type Outcome = 'committed' | 'aborted' | 'unknown';

/** A transaction that has done its work and is not committed yet. */
export interface OpenTransaction<T, R> {
  /** What the work resulted in. Rejects when it failed. */
  worked: Promise<T>;
  /** Writes the reply in the transaction and commits it. */
  commit(reply: R): Promise<void>;
  /** Takes back everything. */
  abort(): void;
  /** Resolves when the transaction has ended. */
  outcome: Promise<Outcome>;
}

/** Ends the transaction without another attempt: it is not an error of the driver. */
class Aborted extends Error {
  override readonly name = 'Aborted';
}

/**
 * Runs work in a transaction that stays open until the reply to its request is known, so that both are committed together.
 * After a write conflict the work runs again. Then its result must be the same, since the reply is made from the first one.
 * @param record writes the reply
 */
export function openTransaction<T, R>(
  start: StartTransaction,
  work: TransactionWork<T>,
  record: (session: ClientSession, reply: R) => Promise<void>,
): OpenTransaction<T, R> {
  const worked = deferred<T>();
  const reply = deferred<R>();
  let first: { value: T } | undefined;
  let isRecorded = false;

  const { result, ended } = start(async (session) => {
    isRecorded = false;
    const value = await work(session);
    if (first && !isDeepStrictEqual(first.value, value)) throw commonErrors.unavailable();
    first ??= { value };
    worked.resolve(value);
    await record(session, await reply.promise);
    isRecorded = true;
  });
  result.catch(worked.reject);
  // Whoever waits for one of them hears of the error.
  for (const promise of [worked.promise, reply.promise, result]) promise.catch(() => undefined);

  return {
    worked: worked.promise,
    commit(value) {
      reply.resolve(value);
      return result;
    },
    abort: () => reply.reject(new Aborted('The request failed.')),
    outcome: ended.then(
      () => 'committed',
      (error: unknown) => (isRecorded && !isAborted(error) ? 'unknown' : 'aborted'),
    ),
  };
}

const isAborted = (error: unknown) => error instanceof MongoError && error.hasErrorLabel('TransientTransactionError');

function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((fulfil, refuse) => ([resolve, reject] = [fulfil, refuse]));
  return { promise, resolve, reject };
}
