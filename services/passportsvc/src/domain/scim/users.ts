import type { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import type { Apps } from '../apps/apps.js';
import type { Passwords } from './passwords.js';
import type { UserStore } from './ports.js';
import { nameKey } from './user.js';
import type { User, UserProfile } from './user.js';

type NewUser = z.infer<typeof UserProfile> & { password?: string };

interface Deps {
  userStore: UserStore;
  apps: Apps;
  passwords: Passwords;
  newId: () => string;
}

export type Users = ReturnType<typeof createUsers>;

export function createUsers({ userStore, apps, passwords, newId }: Deps) {
  return {
    /** Creates a user in the organization of the caller's app. @throws userNameTaken */
    async create(wanted: NewUser, access: Access): Promise<User> {
      const _orgId = await apps.organizationOf(access);
      const user = await newUser({ _id: newId(), _orgId, ...wanted }, passwords);
      await userStore.insert(user);
      return user;
    },
    /** @throws notFound when the user does not exist or belongs to another organization than the caller's app */
    async get(id: string, access: Access): Promise<User> {
      const user = await userStore.find(id);
      if (!user || !(await manages(user, access, apps))) throw commonErrors.notFound();
      return user;
    },
  };
}

async function manages(user: User, access: Access, apps: Apps): Promise<boolean> {
  return access.principal.kind !== 'app' || (await apps.organizationOf(access)) === user._orgId;
}

/** Completes a user with the fields that are derived for storage. */
export async function newUser(
  { password, ...user }: NewUser & { _id: string; _orgId: string; _admin?: boolean },
  passwords: Passwords,
): Promise<User> {
  const now = Date.now();
  const addresses = [user.userName, ...(user.emails ?? []).map(({ value }) => value)];
  return {
    _admin: false,
    ...user,
    _userNameKey: nameKey(user.userName),
    _emailKeys: [...new Set(addresses.map(nameKey))],
    _passwordHash: password === undefined ? undefined : await passwords.hash(password),
    _createdAt: now,
    _updatedAt: now,
    _revision: 0,
  };
}
