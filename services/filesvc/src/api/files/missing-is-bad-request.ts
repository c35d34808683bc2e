import { AppError, commonErrors } from '@dtplatform/errors';
import type { Resources } from '@dtplatform/permissions';
import type { File } from '../../domain/files/file.js';
import type { Files } from '../../domain/files/files.js';
import { errors } from '../../errors.js';

/** A file that is missing or hidden is a 400 (docs/contract.md, "PUT /files/{id}"). */
export const missingIsBadRequest = (files: Files): Required<Resources<File>> => ({
  find: (id) => files.find(id),
  require: (...call) =>
    files.require(...call).catch((error: unknown) => {
      throw isNotFound(error) ? errors.fileNotFound({ cause: error }) : error;
    }),
});

const isNotFound = (error: unknown) => error instanceof AppError && error.code === commonErrors.notFound().code;
