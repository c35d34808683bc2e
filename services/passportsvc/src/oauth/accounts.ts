import { LRUCache } from 'lru-cache';
import type { Account } from 'oidc-provider';
import type { UserStore } from '../domain/ports.js';
import { displayNameOf } from '../domain/user.js';

/** A user as tokens name it. */
export interface UserAccount extends Account {
  displayName: string;
  isAdmin: boolean;
}

export type FindUserAccount = (userId: string) => Promise<UserAccount | undefined>;

const CACHED_USERS = 10_000;
/** How long a change of a user may stay unnoticed. Whoever deactivates a user must refuse its tokens for so long. */
const MAX_AGE_MS = 3000;

/** Finds users who may have tokens. */
export function createAccounts(users: UserStore): FindUserAccount {
  const cached = new LRUCache<string, UserAccount>({ max: CACHED_USERS, ttl: MAX_AGE_MS, ttlResolution: 100 });

  return async (userId) => {
    const known = cached.get(userId);
    if (known) return known;
    const user = await users.find(userId);
    if (!user?.active) return undefined;
    const account = {
      accountId: user._id,
      claims: () => ({ sub: user._id }),
      displayName: displayNameOf(user),
      isAdmin: user._admin,
    };
    cached.set(userId, account);
    return account;
  };
}
