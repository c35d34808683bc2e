import type { Filter, Mongo } from '@dtplatform/mongo';
import type { UserStore } from '../../domain/scim/ports.js';
import { errors } from '../../errors.js';
import { insertNew } from '../insert-new.js';
import { userModel } from './user.model.js';

export function createUserStore(mongo: Mongo): UserStore {
  const users = mongo.model(userModel);
  const findFirst = async (filter: Filter) => (await users.findOne(filter).sort({ _id: 1 }).lean()) ?? undefined;

  return {
    find: async (id) => (await users.findById(id).lean()) ?? undefined,
    findByUserName: (key) => findFirst({ _userNameKey: key }),
    findByEmail: async (_orgId, key) =>
      (await findFirst({ _userNameKey: key, _orgId })) ??
      (await findFirst({ _emailKeys: key, _orgId })) ??
      (await findFirst({ _userNameKey: key })) ??
      (await findFirst({ _emailKeys: key })),
    async insert(user) {
      if (!(await insertNew(users, user))) throw errors.userNameTaken();
    },
  };
}
