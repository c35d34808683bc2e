import { isTimeLimitExceeded, mongoErrors, MongoServerError } from '@dtplatform/mongo';
import { errors } from '../../errors.js';

/** No text index; `$text` where a text index cannot be used. */
const TEXT_INDEX_CODES = new Set([27, 17313]);

/** Runs a caller's query. What the database refuses in it becomes a 400 that says so. */
export async function mapQueryErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (isTimeLimitExceeded(error)) throw errors.queryTooSlow({ cause: error });
    if (!(error instanceof MongoServerError) || mongoErrors(error)) throw error;
    if (TEXT_INDEX_CODES.has(Number(error.code))) throw errors.textIndexMissing({ cause: error });
    throw errors.invalidQuery({ cause: error });
  }
}
