import { AppError } from '@dtplatform/errors';
import { errors } from '../errors.js';

/** An entry that was not written: its place in the request, and why. */
export interface Failure {
  index: number;
  code: string;
  message: string;
}

/**
 * Tells the entries that can be written from those that cannot.
 * @param check throws an AppError for an entry that cannot
 * @throws 400 when none can, or when all must (`transactional`) and one cannot
 */
export function sift<T>(
  entries: T[],
  transactional: boolean,
  check: (entry: T) => void,
): { good: T[]; failures: Failure[] } {
  const good: T[] = [];
  const failures: Failure[] = [];
  entries.forEach((entry, index) => {
    try {
      check(entry);
      good.push(entry);
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      failures.push({ index, code: error.code, message: error.message });
    }
  });
  if (good.length === 0 || (transactional && failures.length > 0)) {
    const details = failures.map(({ index, message }) => ({ location: `body.${index}`, message }));
    throw errors.nothingWritten({ details });
  }
  return { good, failures };
}
