import type { AppStore } from '../apps/ports.js';
import type { Passwords } from '../scim/passwords.js';
import type { UserStore } from '../scim/ports.js';
import { comparableName } from '../scim/user.js';
import type { User } from '../scim/user.js';
import type { SignInLimits } from './sign-in-limits.js';

const MAX_LENGTH = 1024;

interface Deps {
  userStore: UserStore;
  appStore: AppStore;
  passwords: Pick<Passwords, 'matches'>;
  limits: SignInLimits;
}

export type SignIn = ReturnType<typeof createSignIn>;

export function createSignIn({ userStore, appStore, passwords, limits }: Deps) {
  return {
    /**
     * The active user with this name and password, if there is one. Unknown users take just as long.
     * @param address where the attempt comes from
     * @throws tooManyRequests after too many wrong passwords, and when too many passwords are being checked
     */
    async verify(userName: string, password: string, address: string): Promise<User | undefined> {
      if (userName.length > MAX_LENGTH || password.length > MAX_LENGTH) return undefined;
      const attempt = { account: comparableName(userName), address };
      await limits.assertAllowed(attempt);
      const user = await userStore.findByUserName(attempt.account);
      const matches = await passwords.matches(password, user?._passwordHash);
      const isRight = matches && user?.active === true;
      await limits.record(attempt, isRight);
      return isRight ? user : undefined;
    },
    /** What the sign-in page shows of an app. */
    async appearanceOf(appId: string): Promise<{ appName: string; theme?: string }> {
      const app = await appStore.find(appId);
      return { appName: app?._name ?? 'your application', theme: app?._loginTheme };
    },
  };
}
