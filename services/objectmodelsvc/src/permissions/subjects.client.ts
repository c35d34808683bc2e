import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Subject } from '@dtplatform/contracts';
import { ServiceCallError } from '@dtplatform/service-client';
import type { ServiceClient } from '@dtplatform/service-client';
import type { PermissionStore } from './permissions.store.js';

const KNOWN_USERS = 50_000;
/** Less than the lifetime of a deletion's mark, by which `PermissionStore.suspects` notices it. */
const KNOWN_FOR_MS = 60_000;
const API = '/passportsvc/api/v1';
const COLLECTIONS = { user: 'scim/Users', permprofile: 'permissionprofiles', app: 'apps' } as const;

/**
 * Asks passportsvc whether a subject exists. Positive results for users are cached; permission profiles are looked up
 * each time. Groups are known here, because passportsvc reports each before anything is granted to it. Apps are
 * inserted only after that, so they are assumed to exist unless it matters whether they still do.
 * @param onLookup called for each user with whether the result was cached
 */
export function remoteSubjects(
  passportsvc: ServiceClient,
  { hasGroup }: Pick<PermissionStore, 'hasGroup'>,
  onLookup?: (isHit: boolean) => void,
) {
  const knownUsers = new LRUCache<string, true>({ max: KNOWN_USERS, ttl: KNOWN_FOR_MS });

  async function isFound(collection: string, id: string): Promise<boolean> {
    // URL parsers resolve these as path segments even when they are percent-encoded.
    if (id === '.' || id === '..') return false;
    try {
      await passportsvc.call({ path: `${API}/${collection}/${encodeURIComponent(id)}` }, z.object({}));
      return true;
    } catch (error) {
      // The id is invalid, so nobody has it.
      if (error instanceof ServiceCallError && [400, 404].includes(error.status)) return false;
      throw error;
    }
  }

  return {
    /** @param options.now bypasses the cache; otherwise a user's result may be a minute old */
    async exists({ _type, _id }: Subject, { now = false }: { now?: boolean } = {}): Promise<boolean> {
      if (_type === 'usergroup') return hasGroup(_id);
      if (_type === 'app' && !now) return true;
      if (_type === 'user' && !now) {
        const isKnown = knownUsers.has(_id);
        onLookup?.(isKnown);
        if (isKnown) return true;
      }
      const exists = await isFound(COLLECTIONS[_type], _id);
      if (_type === 'user' && exists) knownUsers.set(_id, true);
      if (_type === 'user' && !exists) knownUsers.delete(_id);
      return exists;
    },
  };
}

export type Subjects = ReturnType<typeof remoteSubjects>;
