import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import type { Connection } from 'mongoose';
import pTimeout from 'p-timeout';
import { commonErrors } from '@dtplatform/errors';
import { MongoError, MongoServerSelectionError, MongoWriteConcern } from './driver.js';
import type { ClientSession } from './driver.js';

const MAX_CONFLICTS_MS = 10_000;
const MAX_COMMIT_TIME_MS = 5_000;
/** A commit with an unknown outcome is retried for longer than a request may wait. */
const MAX_TIME_MS = MAX_CONFLICTS_MS + MAX_COMMIT_TIME_MS;

/** Work in a transaction. May run several times. */
export type TransactionWork<T> = (session: ClientSession) => Promise<T>;

interface StartedTransaction<T> {
  /** The result of the work. Rejects with a 503 when a request can wait no longer. */
  result: Promise<T>;
  /** Settles when the transaction has ended, which may be later: the driver may still be retrying a commit. */
  ended: Promise<T>;
}

/**
 * Mongoose's transaction with time limits that fit a request. The driver would retry for 120 seconds and look for a
 * server on each attempt.
 */
export function startTransaction<T>(connection: Connection, work: TransactionWork<T>): StartedTransaction<T> {
  const deadline = performance.now() + MAX_CONFLICTS_MS;
  let lastError: unknown;
  const attempt = async (session: ClientSession): Promise<T> => {
    // Errors of classes other than the driver's end the retries.
    if (performance.now() > deadline || lastError instanceof MongoServerSelectionError) throw giveUp(lastError);
    try {
      return await work(session);
    } catch (error) {
      lastError = error;
      throw error;
    }
  };
  const ended = connection.transaction(attempt, {
    readConcern: { level: 'snapshot' },
    writeConcern: new MongoWriteConcern('majority'),
    maxCommitTimeMS: MAX_COMMIT_TIME_MS,
  });
  const result = pTimeout(ended, {
    milliseconds: MAX_TIME_MS,
    fallback: () => {
      throw giveUp(new Error('The transaction did not end in time.'));
    },
  });
  return { result, ended };
}

const giveUp = (cause: unknown) => commonErrors.unavailable({ cause });

/** Starts a transaction on the caller's connection. */
type StartTransaction = <T>(work: TransactionWork<T>) => StartedTransaction<T>;

type Outcome = 'committed' | 'aborted' | 'unknown';

/** A transaction that has done its work and is not committed yet. */
interface OpenTransaction<T, R> {
  /** The result of the work. Rejects when it failed. */
  worked: Promise<T>;
  /** Writes the response in the transaction and commits it. */
  commit(response: R): Promise<void>;
  /** Rolls back. */
  abort(): void;
  /** Resolves when the transaction has ended. */
  outcome: Promise<Outcome>;
}

/** Ends the transaction without a retry, since it is not the driver's error. */
class Aborted extends Error {
  override readonly name = 'Aborted';
}

/**
 * Runs work in a transaction that stays open until the response of its request is known, so that both are committed
 * together. After a write conflict the work runs again; it must return the same result, because the response is made
 * from the first one.
 * @param record writes the response
 */
function openTransaction<T, R>(
  start: StartTransaction,
  work: TransactionWork<T>,
  record: (session: ClientSession, response: R) => Promise<void>,
): OpenTransaction<T, R> {
  const worked = deferred<T>();
  const response = deferred<R>();
  let first: { value: T } | undefined;
  let isRecorded = false;

  const { result, ended } = start(async (session) => {
    isRecorded = false;
    const value = await work(session);
    if (first && !isDeepStrictEqual(first.value, value)) throw commonErrors.unavailable();
    first ??= { value };
    worked.resolve(value);
    await record(session, await response.promise);
    isRecorded = true;
  });
  result.catch(worked.reject);
  // Errors reach the code that awaits one of these promises.
  for (const promise of [worked.promise, response.promise, result]) promise.catch(() => undefined);

  return {
    worked: worked.promise,
    commit(value) {
      response.resolve(value);
      return result;
    },
    abort: () => response.reject(new Aborted('The request failed.')),
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

export interface TransactionOptions<T> {
  /**
   * For a request that needs its writes before it responds: commits a transaction at once that would otherwise be
   * committed with the response (see `keyedRequest`). After a crash, a repeated request gets what this returns.
   */
  early?: (result: T) => unknown;
}

/** A request with an idempotency key. Only its first transaction is committed together with its response. */
export interface KeyedRequest<R> {
  /** Runs the request: its transactions on this connection are those of `transaction`. */
  run<T>(work: () => Promise<T>): Promise<T>;
  transaction<T>(start: StartTransaction, work: TransactionWork<T>, options: TransactionOptions<T>): Promise<T>;
  /** Commits with the response. False if no transaction is open; the response is then not stored. */
  commit(response: R): Promise<boolean>;
  /**
   * Rolls back what is not committed. Resolves when the outcome is known; the driver may retry a commit for two
   * minutes.
   */
  abort(): Promise<Outcome>;
}

const current = new AsyncLocalStorage<{ database: object; request: KeyedRequest<unknown> }>();

/** The current request, if it has an idempotency key in this database. */
export function currentKeyedRequest(database: object): KeyedRequest<unknown> | undefined {
  const running = current.getStore();
  return running?.database === database ? running.request : undefined;
}

/** Runs work as if the request had no idempotency key. */
export const outsideKeyedRequest = <T>(work: () => Promise<T>): Promise<T> => current.exit(work);

/**
 * @param database the `Mongo` of the stores
 * @param record writes the response in a transaction; `isFinal` unless it is the response of an early commit
 * @param earlyResponse the response to what an early commit returns
 */
export function keyedRequest<R>(
  database: object,
  record: (session: ClientSession, response: R, isFinal: boolean) => Promise<void>,
  earlyResponse: (written: unknown) => R,
): KeyedRequest<R> {
  let state: 'unused' | 'working' | 'open' | 'ended' = 'unused';
  let open: OpenTransaction<unknown, R> | undefined;
  let isFinal = true;

  async function commit(response: R): Promise<boolean> {
    if (state !== 'open') return false;
    state = 'ended';
    await open!.commit(response);
    return true;
  }

  const request: KeyedRequest<R> = {
    run: (work) => current.run({ database, request: request }, work),

    async transaction<T>(start: StartTransaction, work: TransactionWork<T>, { early }: TransactionOptions<T>) {
      if (state === 'ended') return start(work).result;
      if (state !== 'unused') throw new Error('A request with an idempotency key writes in one transaction.');
      state = 'working';
      const opened = openTransaction<T, R>(start, work, (session, response) => record(session, response, isFinal));
      open = opened;
      try {
        const result = await opened.worked;
        state = 'open';
        if (early) {
          isFinal = false;
          await commit(earlyResponse(early(result)));
        }
        return result;
      } catch (error) {
        // The store may try again, for example with another name.
        if (state === 'working') state = 'unused';
        opened.abort();
        throw error;
      }
    },

    commit,

    async abort() {
      state = 'ended';
      open?.abort();
      return open ? open.outcome : 'aborted';
    },
  };
  return request;
}
