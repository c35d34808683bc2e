import type { Connection } from 'mongoose';
import pTimeout from 'p-timeout';
import { commonErrors } from '@dtplatform/errors';
import { MongoServerSelectionError, MongoWriteConcern } from './driver.js';
import type { ClientSession } from './driver.js';

const MAX_CONFLICTS_MS = 10_000;
const MAX_COMMIT_TIME_MS = 5_000;
/** A commit whose outcome is unknown is retried for longer than a request may wait. */
const MAX_TIME_MS = MAX_CONFLICTS_MS + MAX_COMMIT_TIME_MS;

/**
 * Mongoose's transaction within bounds that fit a request: the driver retries for 120 seconds, and looks for a server with
 * each attempt.
 */
export async function runTransaction<T>(
  connection: Connection,
  fn: (session: ClientSession) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + MAX_CONFLICTS_MS;
  let lastError: unknown;
  const attempt = async (session: ClientSession): Promise<T> => {
    // An error that is not the driver's ends the retries.
    if (performance.now() > deadline || lastError instanceof MongoServerSelectionError) throw giveUp(lastError);
    try {
      return await fn(session);
    } catch (error) {
      lastError = error;
      throw error;
    }
  };
  const running = connection.transaction(attempt, {
    readConcern: { level: 'snapshot' },
    writeConcern: new MongoWriteConcern('majority'),
    maxCommitTimeMS: MAX_COMMIT_TIME_MS,
  });
  return pTimeout(running, {
    milliseconds: MAX_TIME_MS,
    fallback: () => {
      throw giveUp(new Error('The transaction did not end in time.'));
    },
  });
}

const giveUp = (cause: unknown) => commonErrors.unavailable({ cause });
