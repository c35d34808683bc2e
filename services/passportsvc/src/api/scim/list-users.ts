import { ok } from '@dtplatform/http';
import type { Reply } from '@dtplatform/http';
import type { Access } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import { lastOf, resolveAttribute } from '../../domain/scim/attributes.js';
import type { AttributePath } from '../../domain/scim/attributes.js';
import { parseFilter } from '../../domain/scim/filter/parse-filter.js';
import type { UserQuery } from '../../domain/scim/ports.js';
import { errors } from '../../errors.js';
import { showUser, usersUrlOf } from './show-user.js';
import { LIST_SCHEMA } from './users.schemas.js';
import type { ListQuery } from './users.schemas.js';

export const SCIM_JSON = 'application/scim+json; charset=utf-8';

/** Answers a list call (RFC 7644, section 3.4.2). The contract spells `resources`, the RFC `Resources`: a reply has both. */
export async function listUsers({ users, config }: Deps, query: ListQuery, access: Access): Promise<Reply> {
  const paging = { offset: query.startIndex - 1, pageSize: query.count };
  const { list, total } = await users.list(userQuery(query, config.BASE_URL), paging, access);
  const resources = list.map((user) => showUser(user, config.BASE_URL, query));
  const page = {
    schemas: [LIST_SCHEMA],
    totalResults: total,
    startIndex: query.startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
    resources,
  };
  return ok(page, { 'content-type': SCIM_JSON });
}

function userQuery({ filter, sortBy, sortOrder }: ListQuery, baseUrl: string): UserQuery {
  return {
    usersUrl: usersUrlOf(baseUrl),
    filter: filter === undefined || filter.trim() === '' ? undefined : parseFilter(filter),
    sort: sortBy === undefined ? undefined : { path: sortPath(sortBy), descending: sortOrder === 'descending' },
  };
}

/** A multi-valued attribute is sorted by its `value`. @throws invalidPath */
function sortPath(name: string): AttributePath {
  const path = resolveAttribute(name);
  if (!path || lastOf(path).returned === 'never')
    throw errors.invalidPath({ message: 'sortBy does not name an attribute of a user.' });
  const { subAttributes } = lastOf(path);
  const value = subAttributes?.find((one) => one.name === 'value');
  if (subAttributes && !value) throw errors.invalidPath({ message: 'sortBy names an attribute that has only parts.' });
  return value ? ([...path, value] as unknown as AttributePath) : path;
}
