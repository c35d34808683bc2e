import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { shownWorkspace } from '../../domain/workspace.js';
import { attributesOf } from './workspaces.schemas.js';
import type { ListWorkspacesQuery } from './workspaces.schemas.js';

/** GET /workspaces: those in whose namespace the caller holds READ (contract: Workspaces). */
export const listWorkspaces =
  ({ workspaceUseCases }: Deps): Handler<{ query: ListWorkspacesQuery }> =>
  async ({ query, access }) => {
    const paging = { offset: query._offset, pageSize: query._pageSize };
    const { list, total } = await workspaceUseCases.list(
      {
        names: query._name,
        userTypes: query._userType,
        shortNames: query._shortName,
        text: query.query,
        attributes: attributesOf(query),
      },
      paging,
      access,
    );
    const { offset: _offset, pageSize: _pageSize } = paging;
    return ok({ _offset, _pageSize, _total: total, _list: list.map(shownWorkspace) });
  };
