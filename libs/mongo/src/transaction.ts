import type { Connection } from 'mongoose';
import pTimeout from 'p-timeout';
import { commonErrors } from '@dtplatform/errors';
import { MongoServerSelectionError, MongoWriteConcern } from './driver.js';
import type { ClientSession } from './driver.js';

const MAX_CONFLICTS_MS = 10_000;
const MAX_COMMIT_TIME_MS = 5_000;
/** A commit whose outcome is unknown is retried for longer than a request may wait. */
const MAX_TIME_MS = MAX_CONFLICTS_MS + MAX_COMMIT_TIME_MS;

/** Work in a transaction, which may run several times. */
export type TransactionWork<T> = (session: ClientSession) => Promise<T>;

export interface StartedTransaction<T> {
  /** Its result. Rejects with a 503 when it does not end within the time that a request may wait. */
  result: Promise<T>;
  /** The same, but settles only when the transaction has ended: the driver still retries a commit. */
  ended: Promise<T>;
}

/**
 * Mongoose's transaction within bounds that fit a request: the driver retries for 120 seconds, and looks for a server with
 * each attempt.
 */
export function startTransaction<T>(connection: Connection, work: TransactionWork<T>): StartedTransaction<T> {
  const deadline = performance.now() + MAX_CONFLICTS_MS;
  let lastError: unknown;
  const attempt = async (session: ClientSession): Promise<T> => {
    // An error that is not the driver's ends the retries.
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
