import { z } from 'zod';
import { isRejection } from '@dtplatform/errors';
import { errors } from '../errors.js';

export const Failure = z
  .object({
    index: z.int().describe('The zero-based index of the entry in the request.'),
    code: z.string().describe('The error code.'),
    message: z.string().describe('Why the entry was not written.'),
  })
  .meta({ id: 'Failure', description: 'An entry of a request that was not written.' });
export type Failure = z.infer<typeof Failure>;

/**
 * Separates valid entries from invalid ones.
 * @param check throws an AppError for an invalid entry
 * @throws 400 if all entries are invalid, or any is and the write is `transactional`
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
      if (!isRejection(error)) throw error;
      failures.push({ index, code: error.code, message: error.message });
    }
  });
  if (valid.length === 0 || (transactional && failures.length > 0)) {
    const details = failures.map(({ index, message }) => ({ location: `body.${index}`, message }));
    throw errors.nothingWritten({ details });
  }
  return { valid, failures };
}
