import { listPage, trusted } from '@dtplatform/mongo';
import type { Filter, Mongo } from '@dtplatform/mongo';
import type { UserStore } from '../../domain/scim/ports.js';
import { errors } from '../../errors.js';
import { insertNew } from '../insert-new.js';
import { userModel } from './user.model.js';

const OLDEST = { sort: { _id: 1 } } as const;

export function createUserStore(mongo: Mongo): UserStore {
  const users = mongo.model(userModel);
  const findOne = async (filter: Filter, options?: { sort: { _id: 1 } }) =>
    (await users.findOne(filter, null, options).lean()) ?? undefined;

  return {
    find: (_id) => findOne({ _id }),
    async findMany(ids) {
      const paging = { offset: 0, pageSize: ids.length };
      return (await listPage(users, { _id: trusted({ $in: [...ids] }) }, { paging })).list;
    },
    findByUserName: (key) => findOne({ _userNameKey: key }),
    findByEmail: async (_orgId, key) =>
      (await findOne({ _userNameKey: key, _orgId })) ?? (await findOne({ _emailKeys: key, _orgId }, OLDEST)),
    async insert(user) {
      if (!(await insertNew(mongo, users, user))) throw errors.userNameTaken();
    },
  };
}
