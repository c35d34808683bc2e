import type { Action } from '@dtplatform/contracts';
import { AppError } from '@dtplatform/errors';
import type { RequestContext } from '@dtplatform/http';
import type { Needs } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import type { StoredFile } from '../../domain/file.js';
import { requireFile } from '../../domain/file-access.js';
import { errors } from '../../errors.js';

type Context = RequestContext<{ id: string }, { nsfilter: string }>;

/** The caller must be allowed an action on the file that the path names, by a permission on it or on a folder above it. */
export const permitFile = <C extends Context>({ files }: Deps, action: Action): Needs<C, StoredFile> => ({
  action,
  check: async ({ access, params, query }) => requireFile(access, action, await files.find(params.id), query.nsfilter),
});

/** The same, with the contract's 400 for a file that is missing or hidden (contract: PUT /files/{id}). */
export const permitUpdate = <C extends Context>(deps: Deps): Needs<C, StoredFile> => {
  const needs = permitFile<C>(deps, 'EDIT');
  return {
    action: needs.action,
    check: (context) =>
      needs.check(context).catch((error: unknown) => {
        throw error instanceof AppError && error.status === 404 ? errors.fileNotFound({ cause: error }) : error;
      }),
  };
};
