import type { Filter, Mongo } from '@dtplatform/mongo';
import { comparableName } from '../../scim/users/user.js';
import { userModel } from '../../scim/users/user.model.js';
import type { ListedUser, ListOptions } from './administration.js';

const USER = { _orgId: 1, userName: 1, active: 1, _admin: 1 } as const;
const BY_ID = { _id: 1 } as const;

/** Operator actions: no ownership checks. */
export function createAdministrationStore(mongo: Mongo) {
  const users = mongo.model(userModel);
  const findUser = async (filter: Filter) => (await users.findOne(filter, USER).lean<ListedUser>()) ?? undefined;
  const ofOrganization = (orgId: string | undefined): Filter => (orgId === undefined ? {} : { _orgId: orgId });

  return {
    listUsers: ({ orgId, adminsOnly = false, limit }: ListOptions & { adminsOnly?: boolean }): Promise<ListedUser[]> =>
      users
        .find({ ...ofOrganization(orgId), ...(adminsOnly && { _admin: true }) }, USER)
        .sort(BY_ID)
        .limit(limit)
        .lean<ListedUser[]>(),
    findUser: async (nameOrId: string): Promise<ListedUser | undefined> =>
      (await findUser({ _userNameKey: comparableName(nameOrId) })) ?? (await findUser({ _id: nameOrId })),
  };
}

export type AdministrationStore = ReturnType<typeof createAdministrationStore>;
