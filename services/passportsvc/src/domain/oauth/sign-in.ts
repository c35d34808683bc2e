import type { AppStore } from '../apps/ports.js';
import type { Passwords } from '../scim/passwords.js';
import type { UserStore } from '../scim/ports.js';
import { nameKey } from '../scim/user.js';
import type { User } from '../scim/user.js';

const MAX_LENGTH = 1024;

interface Deps {
  userStore: UserStore;
  appStore: AppStore;
  passwords: Passwords;
}

export type SignIn = ReturnType<typeof createSignIn>;

export function createSignIn({ userStore, appStore, passwords }: Deps) {
  return {
    /**
     * The active user with this name and password, if there is one. Unknown users take just as long.
     * @throws tooManyRequests when too many passwords are being checked
     */
    async verify(userName: string, password: string): Promise<User | undefined> {
      if (userName.length > MAX_LENGTH || password.length > MAX_LENGTH) return undefined;
      const user = await userStore.findByUserName(nameKey(userName));
      const isRight = await passwords.matches(password, user?._passwordHash);
      return isRight && user?.active ? user : undefined;
    },
    /** What the sign-in page shows of an app. */
    async appearanceOf(appId: string): Promise<{ appName: string; theme?: string }> {
      const app = await appStore.find(appId);
      return { appName: app?._name ?? 'your application', theme: app?._loginTheme };
    },
  };
}
