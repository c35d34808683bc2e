import type { Passwords } from '../../scim/users/passwords.js';
import { displayNameOf } from '../../scim/users/user.js';
import type { UserStore } from '../../scim/users/users.store.js';
import type { SignIn } from '../signin/sign-in.js';
import type { EndAuthorizations } from '../token/authorization.js';
import type { AccountStore } from './account.store.js';

export interface UserSession {
  uid: string;
  signedInAt: number;
  expiresAt: number;
}

interface EndAccessDeps {
  accountStore: Pick<AccountStore, 'endSessions'>;
  endAuthorizations: EndAuthorizations;
}

/**
 * Ends a user's browser sessions, unfinished sign-ins, refresh tokens and their access tokens. The user can sign in
 * again at once. @param exceptSessionUid a session that stays
 */
export type EndAccess = (userId: string, exceptSessionUid?: string) => Promise<void>;

/** Rejects tokens first: if Redis is unavailable, nothing has changed and the caller can retry. */
export const createEndAccess =
  ({ accountStore, endAuthorizations }: EndAccessDeps): EndAccess =>
  async (userId, exceptSessionUid) => {
    await endAuthorizations({ accountId: userId });
    await accountStore.endSessions(userId, exceptSessionUid);
  };

/**
 * Writes something that the user's access depends on, such as a password. Access ends before the write, so that a
 * failure changes nothing, and again after it, for sign-ins and refreshes in between.
 * @param write resolves to false if there was nothing to write
 * @returns the result of `write`
 */
export async function endAccessAround(write: () => Promise<boolean>, endAccess: () => Promise<void>): Promise<boolean> {
  await endAccess();
  if (!(await write())) return false;
  await endAccess();
  return true;
}

interface Deps {
  accountStore: AccountStore;
  userStore: Pick<UserStore, 'find'>;
  signIn: Pick<SignIn, 'verify'>;
  passwords: Pick<Passwords, 'hash'>;
  endAccess: EndAccess;
}

export interface ShownAccount {
  name: string;
  userName: string;
  sessions: UserSession[];
}

interface PasswordChange {
  userId: string;
  current: string;
  next: string;
  /** The client's address, for rate limits. */
  address: string;
  /** The session that stays. */
  sessionUid: string;
}

export type UserAccount = ReturnType<typeof createAccount>;

export function createAccount({ accountStore, userStore, signIn, passwords, endAccess }: Deps) {
  return {
    /** @returns undefined when the user can no longer sign in */
    async show(userId: string): Promise<ShownAccount | undefined> {
      const user = await userStore.find(userId);
      if (!user?.active) return undefined;
      return { name: displayNameOf(user), userName: user.userName, sessions: await accountStore.listSessions(userId) };
    },
    endSession: (userId: string, uid: string): Promise<boolean> => accountStore.endSession(userId, uid),
    endOtherSessions: (userId: string, uid: string): Promise<void> => accountStore.endSessions(userId, uid),
    /**
     * Changes the password and ends all other sessions and all tokens. @returns false if the current password is wrong
     * or the user no longer exists
     * @throws tooManyRequests after too many wrong passwords
     */
    async changePassword({ userId, current, next, address, sessionUid }: PasswordChange): Promise<boolean> {
      const user = await userStore.find(userId);
      const verified = user && (await signIn.verify(user.userName, current, address, 'account.changePassword'));
      if (verified?._id !== userId) return false;
      const hash = await passwords.hash(next);
      return endAccessAround(
        () => accountStore.setPassword(userId, hash),
        () => endAccess(userId, sessionUid),
      );
    },
  };
}
