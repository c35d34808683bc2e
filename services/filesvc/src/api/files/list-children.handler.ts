import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { filePage, filtersOf, pagingOf } from './file-page.js';
import type { FileParams, ListChildrenQuery } from './files.schemas.js';

/** GET /files/{parent_id}/children: what lies in a folder. */
export const listChildren =
  ({ files }: Deps): Handler<{ params: FileParams; query: ListChildrenQuery }> =>
  async ({ params, query, access }) =>
    filePage(query, await files.list({ ...filtersOf(query), parents: [params.id] }, pagingOf(query), access));
