import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import type { ListPermissionsQuery } from './permissions.schemas.js';

/** GET /permissions: one user's permissions on a resource name or pattern (docs/contract.md, "Permissions"). */
export const listPermissions =
  ({ permissions }: Deps): Handler<{ query: ListPermissionsQuery }> =>
  async ({ query, access }) => {
    const { _namespace: namespace, _offset, _pageSize, patternmatch: patternMatch } = query;
    const user = { _type: query['_user._type'], _id: query['_user._id'] };
    const { list, total } = await permissions.list(
      { namespace, irn: query['_resourceDesc._irn'], user, patternMatch },
      { offset: _offset, pageSize: _pageSize },
      access,
    );
    return ok({ _offset, _pageSize, _total: total, _list: list });
  };
