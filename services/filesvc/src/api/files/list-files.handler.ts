import { okCountedPage, pagingOf } from '@dtplatform/http';
import type { Handler, Reply } from '@dtplatform/http';
import type { Access } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import { showFile } from '../../domain/files/file.js';
import type { FileParams, ListChildrenQuery, ListFilesQuery } from './files.schemas.js';

/** GET /files: the files and folders that the caller may read, filtered by the query. */
export const listFiles =
  (deps: Deps): Handler<{ query: ListFilesQuery }> =>
  ({ query, access }) =>
    list(deps, query, access);

/** GET /files/{parent_id}/children: what is in a folder. */
export const listChildren =
  (deps: Deps): Handler<{ params: FileParams; query: ListChildrenQuery }> =>
  ({ query, params, access }) =>
    list(deps, { ...query, _parents: [params.id] }, access);

async function list(
  { files, content }: Deps,
  query: ListChildrenQuery & Partial<ListFilesQuery>,
  access: Access,
): Promise<Reply> {
  const { nsfilter, withUrl } = query;
  const paging = pagingOf(query);
  const filters = { ids: query._ids, name: query._name, tags: query._tags, parents: query._parents };
  const request = { context: nsfilter, namespaces: query._namespaces, status: query._status, ...filters };
  const { list: found, total } = await files.list(request, paging, access);
  const shown = withUrl ? await Promise.all(found.map((file) => content.showWithUrl(file))) : found.map(showFile);
  return okCountedPage({ list: shown, total }, paging);
}
