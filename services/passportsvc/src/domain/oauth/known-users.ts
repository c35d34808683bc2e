import type { UserStore } from '../scim/ports.js';
import { displayNameOf } from '../scim/user.js';
import { cached } from './cached.js';
import type { OnLookup } from './cached.js';
import type { Versions } from './ports.js';

/** A user as tokens name it. */
export interface KnownUser {
  id: string;
  name: string;
  orgId: string;
  isAdmin: boolean;
}

/** Finds an active user. */
export type FindUser = (id: string) => Promise<KnownUser | undefined>;

export const createKnownUsers = (userStore: UserStore, versions: Versions, onLookup?: OnLookup): FindUser =>
  cached({
    kind: 'user',
    versions,
    async find(id) {
      const user = await userStore.find(id);
      return user?.active ? { id, name: displayNameOf(user), orgId: user._orgId, isAdmin: user._admin } : undefined;
    },
    onLookup,
  });
