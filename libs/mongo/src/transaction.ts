import { setTimeout as delay } from 'node:timers/promises';
import { MongoError, MongoServerSelectionError, WriteConcern } from 'mongodb';
import type { ClientSession } from 'mongodb';

const MAX_TIME_MS = 10_000;
const MAX_COMMIT_TIME_MS = 5_000;
const MAX_BACKOFF_MS = 250;

/**
 * The driver's `withTransaction` with a bound that fits a request: its own is 120 seconds, which would hold requests for two
 * minutes when the server goes away. Gives up after 10 seconds of conflicts, or when no server is found. Same retry rules (MongoDB's specification "Convenient API for Transactions").
 */
export async function runTransaction<T>(
  session: ClientSession,
  fn: (session: ClientSession) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + MAX_TIME_MS;
  for (let attempt = 1; ; attempt++) {
    session.startTransaction({
      readConcern: { level: 'snapshot' },
      writeConcern: new WriteConcern('majority'),
      maxCommitTimeMS: MAX_COMMIT_TIME_MS,
    });
    try {
      const result = await fn(session);
      await commit(session, deadline);
      return result;
    } catch (error) {
      await abort(session);
      if (!hasLabel(error, 'TransientTransactionError') || isOver(deadline, error)) throw error;
    }
    await delay(Math.random() * Math.min(5 * 1.5 ** attempt, MAX_BACKOFF_MS));
  }
}

async function commit(session: ClientSession, deadline: number): Promise<void> {
  for (;;) {
    try {
      if (session.inTransaction()) await session.commitTransaction();
      return;
    } catch (error) {
      const isUnknown = hasLabel(error, 'UnknownTransactionCommitResult') && !isMaxTimeExpired(error);
      if (!isUnknown || isOver(deadline, error)) throw error;
    }
  }
}

async function abort(session: ClientSession): Promise<void> {
  if (session.inTransaction()) await session.abortTransaction();
}

/** A server that could not be found has been waited for already. */
const isOver = (deadline: number, error: unknown) =>
  performance.now() > deadline || error instanceof MongoServerSelectionError;
const hasLabel = (error: unknown, label: string) => error instanceof MongoError && error.hasErrorLabel(label);
const isMaxTimeExpired = (error: unknown) => error instanceof MongoError && error.code === 50;
