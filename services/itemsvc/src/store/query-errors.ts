import { MongoServerError } from 'mongodb';
import { isTimeLimitExceeded, mongoErrors } from '@dtplatform/mongo';
import { errors } from '../errors.js';

/** Longest time on the server for what a caller asks, in milliseconds. */
export const MAX_TIME_MS = 2_000;

/** No text index; `$text` where a text index cannot be used. */
const TEXT_INDEX_CODES = new Set([27, 17313]);

/** Runs what holds a caller's query: what the database says against it is said to the caller. */
export async function asking<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof MongoServerError) || mongoErrors(error)) throw error;
    if (isTimeLimitExceeded(error)) throw errors.queryTooSlow({ cause: error });
    if (TEXT_INDEX_CODES.has(Number(error.code))) throw errors.textIndexMissing({ cause: error });
    throw errors.invalidQuery({ cause: error });
  }
}
