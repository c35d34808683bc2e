import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { ServiceCallError } from '@dtplatform/service-client';
import type { ServiceClient } from '@dtplatform/service-client';
import type { PermissionStore, Subjects } from '../../domain/permissions/ports.js';

const KNOWN_SUBJECTS = 50_000;
const KNOWN_FOR_MS = 60_000;

/**
 * Asks passportsvc whether a user exists. Groups are known here: passportsvc reports each before anything is granted to it.
 * Profiles and apps are taken as they are.
 */
export function remoteSubjects(passportsvc: ServiceClient, { hasGroup }: Pick<PermissionStore, 'hasGroup'>): Subjects {
  const known = new LRUCache<string, true>({ max: KNOWN_SUBJECTS, ttl: KNOWN_FOR_MS });
  return {
    async exists({ _type, _id }) {
      if (_type === 'usergroup') return hasGroup(_id);
      if (_type !== 'user' || known.has(_id)) return true;
      // URL parsers resolve these as path segments even when they are percent-encoded.
      if (_id === '.' || _id === '..') return false;
      try {
        const path = `/passportsvc/api/v1/scim/Users/${encodeURIComponent(_id)}`;
        await passportsvc.call({ path }, z.object({ id: z.string() }));
      } catch (error) {
        if (error instanceof ServiceCallError && error.status === 404) return false;
        throw error;
      }
      known.set(_id, true);
      return true;
    },
  };
}
