import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import type { ListPermissionsQuery } from './permissions.schemas.js';

/** GET /permissions: the records of one user on one resource name or pattern (contract: Permissions). */
export const listPermissions =
  ({ permissionAdmin }: Deps): Handler<{ query: ListPermissionsQuery }> =>
  async ({ query, access }) => {
    const paging = { offset: query._offset, pageSize: query._pageSize };
    const { list, total } = await permissionAdmin.list(
      {
        namespace: query._namespace,
        irn: query['_resourceDesc._irn'],
        user: { _type: query['_user._type'], _id: query['_user._id'] },
        patternMatch: query.patternmatch,
      },
      paging,
      access,
    );
    return ok({ _offset: paging.offset, _pageSize: paging.pageSize, _total: total, _list: list });
  };
