import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { shown } from '../../domain/file.js';
import type { CreateFolderQuery } from './files.schemas.js';

/** POST /files without a file: creates a folder (contract: Folders and files). */
export const createFolder =
  ({ files }: Deps): Handler<{ query: CreateFolderQuery }> =>
  async ({ query, access }) => {
    const { nsfilter, _name: name, _namespaces: namespaces, _parents: parents, _tags: tags } = query;
    return ok(shown(await files.createFolder({ name, namespaces, parents, tags }, nsfilter, access)));
  };
