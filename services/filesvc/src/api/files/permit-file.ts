import type { Action } from '@dtplatform/contracts';
import { AppError, commonErrors } from '@dtplatform/errors';
import type { RequestContext } from '@dtplatform/http';
import type { Needs } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import type { File } from '../../domain/files/file.js';
import { errors } from '../../errors.js';

type Context = RequestContext<{ id: string }, { nsfilter: string }>;

/** The caller needs the permission on the file in the path, or on a folder above it. */
export const permitFile = <C extends Context>({ files }: Deps, action: Action): Needs<C, File> => ({
  action,
  check: ({ access, params, query }) => files.require(action, params.id, query.nsfilter, access),
});

/** The same, but a file that is missing or hidden is a 400 (docs/contract.md, "PUT /files/{id}"). */
export const permitUpdate = <C extends Context>(deps: Deps): Needs<C, File> => {
  const needs = permitFile<C>(deps, 'EDIT');
  return {
    action: needs.action,
    check: (context) =>
      needs.check(context).catch((error: unknown) => {
        throw isNotFound(error) ? errors.fileNotFound({ cause: error }) : error;
      }),
  };
};

const isNotFound = (error: unknown) => error instanceof AppError && error.code === commonErrors.notFound().code;
