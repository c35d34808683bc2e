import { LRUCache } from 'lru-cache';
import { App } from '../../directory/apps/app.js';
import type { AppStore } from '../../directory/apps/apps.store.js';
import { displayNameOf } from '../../scim/users/user.js';
import type { UserStore } from '../../scim/users/users.store.js';
import type { Versioned, Versions } from './versions.store.js';

const MAX_ENTRIES = 10_000;
/**
 * Bounds how long a change goes unnoticed that did not raise the version: one by the migration, or by a process that
 * crashed first.
 */
const MAX_AGE_MS = 3000;

type OnLookup = (isHit: boolean) => void;

interface Options<T> {
  kind: Versioned;
  versions: Versions;
  find: (id: string) => Promise<T | undefined>;
  onLookup?: OnLookup;
}

/** Caches what `find` returns under its current version. Misses are looked up each time. */
function cached<T extends object>({ kind, versions, find, onLookup }: Options<T>) {
  // Keyed by version: no two apps or users share one.
  const cache = new LRUCache<string, T>({ max: MAX_ENTRIES, ttl: MAX_AGE_MS, ttlResolution: 100 });

  return async (id: string): Promise<T | undefined> => {
    const version = await versions.current(kind, id);
    const known = version === undefined ? undefined : cache.get(version);
    onLookup?.(known !== undefined);
    if (known) return known;
    const found = await find(id);
    if (found && version !== undefined) cache.set(version, found);
    // Takes effect from the next call: this result may be older than the version. Missing records get no version.
    if (found && version === undefined) await versions.begin(kind, id);
    return found;
  };
}

/** Returns the same object for as long as it is cached. */
export type FindApp = (id: string) => Promise<App | undefined>;

export function createKnownApps(appStore: AppStore, versions: Versions, onLookup?: OnLookup): FindApp {
  const find = cached({ kind: 'app', versions, find: (id) => appStore.find(id), onLookup });
  return async (id) => (App.shape._id.safeParse(id).success ? find(id) : undefined);
}

export interface KnownUser {
  id: string;
  name: string;
  orgId: string;
  isAdmin: boolean;
}

/** Finds active users only. */
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
