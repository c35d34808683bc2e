import { isTimeLimitExceeded } from '@dtplatform/mongo';
import { errors } from '../errors.js';

/** Runs a caller's query. One that takes too long is a 400 that says so. */
export async function mapQueryErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw isTimeLimitExceeded(error) ? errors.queryTooSlow({ cause: error }) : error;
  }
}
