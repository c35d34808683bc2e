import { AppError } from '@dtplatform/errors';
import { errors } from '../../errors.js';

const MAX_ATTEMPTS = 3;

/**
 * Two uploads of one new name may run into each other: the second then belongs to the file that the first has made. And a
 * file may go while something is added to it: then there is a new one.
 * @param attempt decides anew each time; undefined when what it decided on is gone
 */
export async function whileNameMoves<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      const result = await attempt();
      if (result !== undefined) return result;
      if (attempts === MAX_ATTEMPTS) throw errors.uploadTakenOver();
    } catch (error) {
      if (!isNameTaken(error) || attempts === MAX_ATTEMPTS) throw error;
    }
  }
}

const isNameTaken = (error: unknown) => error instanceof AppError && error.code === errors.nameTaken().code;
