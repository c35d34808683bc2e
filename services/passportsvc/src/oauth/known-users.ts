import { LRUCache } from 'lru-cache';
import type { UserStore } from '../domain/ports.js';
import { displayNameOf } from '../domain/user.js';

/** A user as tokens name it. */
export interface KnownUser {
  id: string;
  name: string;
  isAdmin: boolean;
}

/** Finds a user who may sign in and have tokens. */
export type FindUser = (id: string) => Promise<KnownUser | undefined>;

const CACHED_USERS = 10_000;
/** How long a change of a user may stay unnoticed. Whoever deactivates a user must refuse its tokens for so long. */
const MAX_AGE_MS = 3000;

export function createKnownUsers(users: UserStore): FindUser {
  const cached = new LRUCache<string, KnownUser>({ max: CACHED_USERS, ttl: MAX_AGE_MS, ttlResolution: 100 });

  return async (id) => {
    const known = cached.get(id);
    if (known) return known;
    const user = await users.find(id);
    if (!user?.active) return undefined;
    const found = { id, name: displayNameOf(user), isAdmin: user._admin };
    cached.set(id, found);
    return found;
  };
}
