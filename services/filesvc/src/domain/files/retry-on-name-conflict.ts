import { AppError } from '@dtplatform/errors';
import { errors } from '../../errors.js';

const MAX_ATTEMPTS = 3;

/**
 * Retries when another request took the same new name first: the content then belongs to the file that request created.
 * Also retries when the file is removed before the write (then a new file is created), or its folder is moved.
 * @param attempt decides from scratch each time; undefined when what it decided on no longer exists
 */
export async function retryOnNameConflict<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      const result = await attempt();
      if (result !== undefined) return result;
      if (attempts === MAX_ATTEMPTS) throw errors.uploadTakenOver();
    } catch (error) {
      if (!isRaced(error) || attempts === MAX_ATTEMPTS) throw error;
    }
  }
}

const RACED = [errors.nameTaken().code, errors.folderMoved().code];
const isRaced = (error: unknown) => error instanceof AppError && RACED.includes(error.code);
