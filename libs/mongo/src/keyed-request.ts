import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientSession } from './driver.js';
import { openTransaction } from './open-transaction.js';
import type { OpenTransaction, Outcome, StartTransaction } from './open-transaction.js';
import type { TransactionWork } from './transaction.js';

export interface TransactionOptions<T> {
  /**
   * For a request that continues to work with what it has written: a transaction that would otherwise be committed together
   * with the reply (see `keyedRequest`) is committed at once. The reply to a repetition after a crash shows what this returns.
   */
  early?: (result: T) => unknown;
}

/** A request with an idempotency key. Its first transaction, and it alone, is committed together with its reply. */
export interface KeyedRequest<R> {
  /** Runs the request: its transactions on this connection are those of `transaction`. */
  run<T>(work: () => Promise<T>): Promise<T>;
  transaction<T>(start: StartTransaction, work: TransactionWork<T>, options: TransactionOptions<T>): Promise<T>;
  /** Commits with the reply. False when nothing is open: then the reply is not stored. */
  commit(reply: R): Promise<boolean>;
  /** Takes back what is not committed. Resolves when it is known what is; the driver may retry a commit for two minutes. */
  abort(): Promise<Outcome>;
}

const current = new AsyncLocalStorage<{ database: object; request: KeyedRequest<unknown> }>();

/** The request that the running code belongs to, if it has an idempotency key in this database. */
export function currentKeyedRequest(database: object): KeyedRequest<unknown> | undefined {
  const running = current.getStore();
  return running?.database === database ? running.request : undefined;
}

/** Runs work as if its request had no idempotency key. */
export const outsideKeyedRequest = <T>(work: () => Promise<T>): Promise<T> => current.exit(work);

/**
 * @param database the `Mongo` of the stores
 * @param record writes the reply in a transaction; `isFinal` unless it is the reply of an early commit
 * @param earlyReply the reply to what an early commit returns
 */
export function keyedRequest<R>(
  database: object,
  record: (session: ClientSession, reply: R, isFinal: boolean) => Promise<void>,
  earlyReply: (written: unknown) => R,
): KeyedRequest<R> {
  let state: 'unused' | 'working' | 'open' | 'ended' = 'unused';
  let open: OpenTransaction<unknown, R> | undefined;
  let isFinal = true;

  async function commit(reply: R): Promise<boolean> {
    if (state !== 'open') return false;
    state = 'ended';
    await open!.commit(reply);
    return true;
  }

  const request: KeyedRequest<R> = {
    run: (work) => current.run({ database, request: request }, work),

    async transaction<T>(start: StartTransaction, work: TransactionWork<T>, { early }: TransactionOptions<T>) {
      if (state === 'ended') return start(work).result;
      if (state !== 'unused') throw new Error('A request with an idempotency key writes in one transaction.');
      state = 'working';
      const opened = openTransaction<T, R>(start, work, (session, reply) => record(session, reply, isFinal));
      open = opened;
      try {
        const result = await opened.worked;
        state = 'open';
        if (early) {
          isFinal = false;
          await commit(earlyReply(early(result)));
        }
        return result;
      } catch (error) {
        // The store may try again, with another name for example.
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
