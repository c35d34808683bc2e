import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Subject } from '@dtplatform/contracts';
import { ServiceCallError } from '@dtplatform/service-client';
import type { ServiceClient } from '@dtplatform/service-client';
import type { PermissionStore } from './permissions.store.js';

const KNOWN_USERS = 50_000;
/** Less than the mark of a deletion lasts, by which `PermissionStore.suspects` notices it. */
const KNOWN_FOR_MS = 60_000;
const API = '/passportsvc/api/v1';
const COLLECTIONS = { user: 'scim/Users', permprofile: 'permissionprofiles', app: 'apps' } as const;

/**
 * Asks passportsvc whether a subject exists. That a user does is kept for a while; permission profiles are asked for each time.
 * Groups are known here: passportsvc reports each before anything is granted to it. So it does with apps, which are inserted
 * after that: they are taken as they are unless it matters whether they exist now.
 * @param onLookup called for each user with whether the answer was known
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
      // Nobody has an id that cannot exist.
      if (error instanceof ServiceCallError && [400, 404].includes(error.status)) return false;
      throw error;
    }
  }

  return {
    /** @param options.now does without what was known before; otherwise the answer about a user may be a minute old */
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
