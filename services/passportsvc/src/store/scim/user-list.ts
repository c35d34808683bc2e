import { isTimeLimitExceeded, onePage, queryLimits, totalOf } from '@dtplatform/mongo';
import type { Filter, Model } from '@dtplatform/mongo';
import type { Listing, Paging } from '@dtplatform/resource';
import type { UserQuery } from '../../domain/scim/ports.js';
import type { User } from '../../domain/scim/user.js';
import { errors } from '../../errors.js';
import { placeOf, userFilter } from './user-filter.js';

/** A page needs neither of them. */
const HIDDEN = { _search: 0, _passwordHash: 0 };

/** One page of the users that match. @throws queryTooSlow */
export async function listUsers(users: Model<User>, query: UserQuery, paging: Paging): Promise<Listing<User>> {
  const filter = filterOf(query);
  try {
    const list = await findPage(users, filter, query, paging);
    const total = await totalOf(paging, list.length, () => count(users, filter));
    return { list, total };
  } catch (error) {
    throw isTimeLimitExceeded(error) ? errors.tooManyMatches({ cause: error }) : error;
  }
}

const filterOf = ({ orgId, filter }: UserQuery): Filter => {
  const conditions = [...(orgId === undefined ? [] : [{ _orgId: orgId }]), ...(filter ? [userFilter(filter)] : [])];
  return conditions.length > 1 ? { $and: conditions } : (conditions[0] ?? {});
};

const count = (users: Model<User>, filter: Filter): Promise<number> =>
  Object.keys(filter).length === 0
    ? users.collection.estimatedDocumentCount()
    : users.collection.countDocuments(filter, queryLimits());

async function findPage(
  users: Model<User>,
  filter: Filter,
  { sort }: UserQuery,
  { offset, pageSize }: Paging,
): Promise<User[]> {
  // To MongoDB a limit of 0 is no limit.
  if (pageSize === 0) return [];
  const pipeline = [
    { $match: filter },
    ...sortStages(sort),
    { $skip: offset },
    { $limit: pageSize },
    { $project: { ...HIDDEN, _isAbsent: 0 } },
  ];
  return onePage<User>(users.collection, pipeline, pageSize);
}

/** Attributes that every user has. */
const ALWAYS = ['_id', '_userNameKey', '_createdAt', '_updatedAt', 'active'];

/** Users without a value come last in ascending order, first in descending order (RFC 7644, section 3.4.2.3). */
function sortStages(sort: UserQuery['sort']): object[] {
  if (!sort) return [{ $sort: { _id: 1 } }];
  const place = placeOf(sort.path);
  const direction = sort.descending ? -1 : 1;
  if (place === '_id') return [{ $sort: { _id: direction } }];
  if (ALWAYS.includes(place)) return [{ $sort: { [place]: direction, _id: 1 } }];
  return [
    { $addFields: { _isAbsent: { $lte: [`$${place}`, null] } } },
    { $sort: { _isAbsent: direction, [place]: direction, _id: 1 } },
  ];
}
