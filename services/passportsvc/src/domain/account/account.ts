import type { SignIn } from '../oauth/sign-in.js';
import type { Passwords } from '../scim/passwords.js';
import type { UserStore } from '../scim/ports.js';
import { displayNameOf } from '../scim/user.js';
import { endAccessAround } from './end-access.js';
import type { EndAccess } from './end-access.js';
import type { AccountStore, UserSession } from './ports.js';

interface Deps {
  accountStore: AccountStore;
  userStore: Pick<UserStore, 'find'>;
  signIn: Pick<SignIn, 'verify'>;
  passwords: Pick<Passwords, 'hash'>;
  endAccess: EndAccess;
}

/** The account of a user who is signed in, as its page shows it. */
export interface ShownAccount {
  name: string;
  userName: string;
  sessions: UserSession[];
}

interface PasswordChange {
  userId: string;
  current: string;
  next: string;
  /** Where the request comes from: guesses are limited. */
  address: string;
  /** The session in which the password is changed; it stays. */
  sessionUid: string;
}

export function createAccount({ accountStore, userStore, signIn, passwords, endAccess }: Deps) {
  return {
    /** Undefined when the user can no longer sign in. */
    async show(userId: string): Promise<ShownAccount | undefined> {
      const user = await userStore.find(userId);
      if (!user?.active) return undefined;
      return { name: displayNameOf(user), userName: user.userName, sessions: await accountStore.listSessions(userId) };
    },
    endSession: (userId: string, uid: string): Promise<boolean> => accountStore.endSession(userId, uid),
    /** Ends all sessions but this one. */
    endOtherSessions: (userId: string, uid: string): Promise<void> => accountStore.endSessions(userId, uid),
    /**
     * Changes the password and ends all other sessions and all tokens. @returns false if the current password is
     * wrong or the user no longer exists
     * @throws tooManyRequests after too many wrong ones
     */
    async changePassword({ userId, current, next, address, sessionUid }: PasswordChange): Promise<boolean> {
      const user = await userStore.find(userId);
      if (!user || (await signIn.verify(user.userName, current, address))?._id !== userId) return false;
      const hash = await passwords.hash(next);
      return endAccessAround(
        () => accountStore.setPassword(userId, hash),
        () => endAccess(userId, sessionUid),
      );
    },
  };
}
