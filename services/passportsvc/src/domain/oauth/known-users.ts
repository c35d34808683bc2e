import { LRUCache } from 'lru-cache';
import type { UserStore } from '../scim/ports.js';
import { displayNameOf } from '../scim/user.js';

/** A user as tokens name it. */
export interface KnownUser {
  id: string;
  name: string;
  isAdmin: boolean;
}

/** Finds an active user. */
export type FindUser = (id: string) => Promise<KnownUser | undefined>;

const MAX_USERS = 10_000;
/** How long a change to a user may go unnoticed. Whatever deactivates a user must refuse its tokens for at least this long. */
const MAX_AGE_MS = 3000;

export function createKnownUsers(userStore: UserStore): FindUser {
  const cache = new LRUCache<string, KnownUser>({ max: MAX_USERS, ttl: MAX_AGE_MS, ttlResolution: 100 });

  return async (id) => {
    const cached = cache.get(id);
    if (cached) return cached;
    const user = await userStore.find(id);
    if (!user?.active) return undefined;
    const found = { id, name: displayNameOf(user), isAdmin: user._admin };
    cache.set(id, found);
    return found;
  };
}
