import type { Listing, Paging } from '@dtplatform/contracts';
import { isTimeLimitExceeded, onePage, queryLimits, totalOf } from '@dtplatform/mongo';
import type { Filter, Model } from '@dtplatform/mongo';
import { errors } from '../../errors.js';
import { keysOf } from './attributes.js';
import type { createUserCounts } from './user-counts.store.js';
import { placeOf, userFilter, VERSION } from './user-filter.store.js';
import type { User } from './user.js';
import type { UserQuery } from './users.js';

/** Not needed in a page. */
const HIDDEN = { _search: 0, _passwordHash: 0 };

type UserCounts = Pick<ReturnType<typeof createUserCounts>, 'read'>;

export async function listUsers(
  users: Model<User>,
  counts: UserCounts,
  query: UserQuery,
  paging: Paging,
): Promise<Listing<User>> {
  const filter = filterOf(query);
  try {
    const list = await findPage(users, filter, query, paging);
    const total = await totalOf(paging, list.length, () =>
      query.filter ? users.collection.countDocuments(filter, queryLimits()) : countAll(users, counts, query),
    );
    return { list, total };
  } catch (error) {
    throw isTimeLimitExceeded(error) ? errors.tooManyMatches({ cause: error }) : error;
  }
}

const filterOf = ({ orgId, filter, usersUrl }: UserQuery): Filter => {
  const conditions = [
    ...(orgId === undefined ? [] : [{ _orgId: orgId }]),
    ...(filter ? [userFilter(filter, usersUrl)] : []),
  ];
  return conditions.length > 1 ? { $and: conditions } : (conditions[0] ?? {});
};

/** Uses maintained counts: counting takes longer with each user. */
const countAll = (users: Model<User>, counts: UserCounts, { orgId }: UserQuery): Promise<number> =>
  orgId === undefined ? users.collection.estimatedDocumentCount() : counts.read(orgId);

async function findPage(
  users: Model<User>,
  filter: Filter,
  { sort }: UserQuery,
  { offset, pageSize }: Paging,
): Promise<User[]> {
  // MongoDB treats a limit of 0 as none.
  if (pageSize === 0) return [];
  const pipeline = [
    { $match: filter },
    ...sortStages(sort),
    { $skip: offset },
    { $limit: pageSize },
    { $project: { ...HIDDEN, _isAbsent: 0, _version: 0 } },
  ];
  return onePage<User>(users.collection, pipeline, pageSize);
}

/** Sorting by these is sorting by id: their values are constant or end with it. */
const LIKE_ID = ['schemas', 'meta.resourceType', 'meta.location'];
const UNIQUE = ['_id', '_userNameKey'];
const ALWAYS = ['_createdAt', '_updatedAt', 'active'];

/** Users without a value come last in ascending order, first in descending order (RFC 7644, section 3.4.2.3). */
function sortStages(sort: UserQuery['sort']): object[] {
  if (!sort) return [{ $sort: { _id: 1 } }];
  const name = keysOf(sort.path).join('.');
  const place = LIKE_ID.includes(name) ? '_id' : placeOf(sort.path);
  const direction = sort.descending ? -1 : 1;
  if (name === 'meta.version')
    return [{ $addFields: { _version: VERSION } }, { $sort: { _version: direction, _id: 1 } }];
  if (UNIQUE.includes(place)) return [{ $sort: { [place]: direction } }];
  // Matches the index, so that MongoDB reads the page only.
  if (ALWAYS.includes(place)) return [{ $sort: { [place]: direction, _orgId: direction, _id: direction } }];
  return [
    { $addFields: { _isAbsent: { $lte: [`$${place}`, null] } } },
    { $sort: { _isAbsent: direction, [place]: direction, _id: 1 } },
  ];
}
