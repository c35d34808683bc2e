import type { Passwords } from './passwords.js';
import type { UserStore } from './ports.js';
import { nameKey } from './user.js';
import type { User } from './user.js';

export interface SignIn {
  /**
   * The user with this name and password, if there is one who may sign in. Takes as long when there is none.
   * @throws 429 when too many sign in at once
   */
  verify(userName: string, password: string): Promise<User | undefined>;
}

const MAX_LENGTH = 1024;

export function createSignIn({ users, passwords }: { users: UserStore; passwords: Passwords }): SignIn {
  return {
    async verify(userName, password) {
      if (userName.length > MAX_LENGTH || password.length > MAX_LENGTH) return undefined;
      const user = await users.findByUserName(nameKey(userName));
      const isRight = await passwords.matches(password, user?._passwordHash);
      return isRight && user?.active ? user : undefined;
    },
  };
}
