import { isRefusal } from '@dtplatform/errors';
import { z } from 'zod';
import { errors } from '../errors.js';

/** An entry that was not written: its place in the request, and why. */
export const Failure = z.object({ index: z.number(), code: z.string(), message: z.string() });
export type Failure = z.infer<typeof Failure>;

/**
 * Separates the entries that can be written from those that cannot.
 * @param check throws an AppError for an entry that cannot
 * @throws 400 when no entry can be written, or when all must (`transactional`) and one cannot
 */
export function partitionValid<T>(
  entries: T[],
  transactional: boolean,
  check: (entry: T) => void,
): { valid: T[]; failures: Failure[] } {
  const valid: T[] = [];
  const failures: Failure[] = [];
  entries.forEach((entry, index) => {
    try {
      check(entry);
      valid.push(entry);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      failures.push({ index, code: error.code, message: error.message });
    }
  });
  if (valid.length === 0 || (transactional && failures.length > 0)) {
    const details = failures.map(({ index, message }) => ({ location: `body.${index}`, message }));
    throw errors.nothingWritten({ details });
  }
  return { valid, failures };
}
