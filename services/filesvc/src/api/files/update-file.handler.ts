import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { shown } from '../../domain/file.js';
import type { StoredFile } from '../../domain/file.js';
import type { UpdateFileBody } from './files.schemas.js';

/** PUT /files/{id}: renames a file or folder, and replaces its tags where some are given (contract: Folders and files). */
export const updateFile =
  ({ files }: Deps): Handler<{ body: UpdateFileBody; resource: StoredFile }> =>
  async ({ resource, body, access, requireMatch }) =>
    ok(shown(await files.update(resource._id, { name: body._name, tags: body._tags }, access, requireMatch)));
