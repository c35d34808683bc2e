import type { Db } from 'mongodb';
import { isDuplicateKey } from '@dtplatform/mongo';
import type { UserStore } from '../../domain/scim/ports.js';
import type { User } from '../../domain/scim/user.js';
import { errors } from '../../errors.js';

export function createUserStore(db: Db): UserStore {
  const users = db.collection<User>('users');
  const findByUserName = async (key: string) => (await users.findOne({ _userNameKey: key })) ?? undefined;

  return {
    find: async (id) => (await users.findOne({ _id: id })) ?? undefined,
    findByUserName,
    findByEmail: async (_orgId, key) =>
      (await users.findOne({ _userNameKey: key, _orgId })) ??
      (await users.findOne({ _emailKeys: key, _orgId }, { sort: { _id: 1 } })) ??
      (await findByUserName(key)) ??
      (await users.findOne({ _emailKeys: key }, { sort: { _id: 1 } })) ??
      undefined,
    async insert(user) {
      try {
        await users.insertOne(user, { ignoreUndefined: true });
      } catch (error) {
        throw isDuplicateKey(error, '_userNameKey') ? errors.userNameTaken({ cause: error }) : error;
      }
    },
  };
}
