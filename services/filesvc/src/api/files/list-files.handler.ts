import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { filePage, filtersOf, pagingOf } from './file-page.js';
import type { ListFilesQuery } from './files.schemas.js';

/** GET /files: what the caller may read, narrowed by the query. */
export const listFiles =
  ({ files, downloads }: Deps): Handler<{ query: ListFilesQuery }> =>
  async ({ query, access }) => {
    const request = { ...filtersOf(query), parents: query._parents, status: query._status };
    const { list, total } = await files.list(request, pagingOf(query), access);
    return filePage(query, {
      list: query.withUrl ? await Promise.all(list.map((file) => downloads.withUrl(file))) : list,
      total,
    });
  };
