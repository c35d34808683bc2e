import { endAccessAround } from '../../oauth/account/account.js';
import type { EndAccess } from '../../oauth/account/account.js';
import type { AccountStore } from '../../oauth/account/account.store.js';
import type { Passwords } from '../../scim/users/passwords.js';
import { isLongEnough, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../scim/users/user.js';
import type { User } from '../../scim/users/user.js';
import { newSecret } from '../apps/new-app.js';
import type { AdministrationStore } from './administration.store.js';

/** Why a command failed, worded for the operator. */
export class Rejection extends Error {
  constructor(
    readonly reason: 'failed' | 'usage' | 'not-found',
    message: string,
  ) {
    super(message);
    this.name = 'Rejection';
  }
}

export type ListedUser = Pick<User, '_id' | '_orgId' | 'userName' | 'active' | '_admin'>;

export interface ListOptions {
  orgId?: string;
  limit: number;
}

interface Deps {
  store: AdministrationStore;
  accountStore: Pick<AccountStore, 'setPassword'>;
  passwords: Pick<Passwords, 'hash'>;
  endAccess: EndAccess;
}

export type Administration = ReturnType<typeof createAdministration>;

/** Administration by operators. Does not check permissions: anyone with the keys may do everything. */
export function createAdministration({ store, accountStore, passwords, endAccess }: Deps) {
  async function userOf(nameOrId: string): Promise<ListedUser> {
    const user = await store.findUser(nameOrId);
    if (!user) throw noUser(nameOrId);
    return user;
  }

  return {
    /**
     * Sets a password and revokes all access obtained with the old one.
     * @param given generated if undefined @returns the password if it was generated
     */
    async resetPassword(nameOrId: string, given?: string): Promise<{ user: ListedUser; password?: string }> {
      const user = await userOf(nameOrId);
      if (given !== undefined) checkPassword(given);
      const password = given ?? newSecret();
      const hash = await passwords.hash(password);
      const isSet = await endAccessAround(
        () => accountStore.setPassword(user._id, hash),
        () => endAccess(user._id),
      );
      if (!isSet) throw noUser(nameOrId);
      return { user, ...(given === undefined && { password }) };
    },

    listUsers: (options: Parameters<AdministrationStore['listUsers']>[0]) => store.listUsers(options),
  };
}

const noUser = (nameOrId: string) => new Rejection('not-found', `There is no user ${nameOrId}.`);

function checkPassword(password: string): void {
  if (isLongEnough(password) && password.length <= MAX_PASSWORD_LENGTH) return;
  throw new Rejection('usage', `The password must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters.`);
}
