import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { accessKeys } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Principal } from '@dtplatform/jwt';
import { createAccess, subjectOf } from './access.js';
import type { Access, GrantLookup } from './access.js';
import { createStateReader, ensureEpoch } from './access-state.js';
import { compileGrants } from './decision.js';
import type { Grants } from './decision.js';
import type { GrantSource } from './grant-source.js';

/** Opens what a verified caller may do. @throws 401 when the token was revoked, 503 while Redis is away */
export type OpenAccess = (principal: Principal) => Promise<Access>;

/** What is remembered of a subject. It counts only while the subject's epoch is the one it was made under. */
interface Remembered {
  epoch: string;
  grants: Map<string, Promise<Grants>>;
  namespaces: Promise<string[]> | undefined;
}

const REMEMBERED_SUBJECTS = 10_000;
/** Bounds what could be stale if an epoch was not raised because a process died at the wrong moment. */
const MAX_AGE_MS = 60_000;

/**
 * Decisions from memory that a revocation ends at once. With each request one read of Redis (shared by all requests of
 * a moment) brings the subject's epoch and the marks of revoked tokens; what was remembered under another epoch is
 * dropped and loaded anew from the source.
 */
export function createPermissions({ redis, source }: { redis: Redis; source: GrantSource }): OpenAccess {
  const readState = createStateReader(redis);
  const remembered = new LRUCache<string, Remembered>({ max: REMEMBERED_SUBJECTS, ttl: MAX_AGE_MS, ttlResolution: 1000 });

  function memoryOf(key: string, epoch: string): Remembered {
    const known = remembered.get(key);
    if (known?.epoch === epoch) return known;
    const fresh: Remembered = { epoch, grants: new Map(), namespaces: undefined };
    remembered.set(key, fresh);
    return fresh;
  }

  function lookupFor(principal: Principal, memory: Remembered): GrantLookup {
    const subject = subjectOf(principal);
    return {
      grants(namespace) {
        const known = memory.grants.get(namespace);
        if (known) return known;
        const loading = source.grantsOf(subject, namespace).then(compileGrants);
        memory.grants.set(namespace, loading);
        loading.catch(() => memory.grants.delete(namespace));
        return loading;
      },
      namespaces() {
        if (memory.namespaces) return memory.namespaces;
        const loading = source.namespacesOf(subject);
        memory.namespaces = loading;
        loading.catch(() => (memory.namespaces = undefined));
        return loading;
      },
    };
  }

  return async (principal) => {
    const epochKey = accessKeys.epoch(subjectOf(principal));
    const [epoch, ...notBefores] = await readState([epochKey, ...notBeforeKeys(principal)]);
    if (notBefores.some((mark) => mark !== null && principal.issuedAtSec <= Number(mark))) {
      throw commonErrors.unauthorized({ message: 'The access token was revoked.', tokenSent: true });
    }
    const current = epoch ?? (await ensureEpoch(redis, epochKey));
    return createAccess(principal, lookupFor(principal, memoryOf(epochKey, current)), source);
  };
}

function notBeforeKeys({ id, appId, grantId }: Principal): string[] {
  const keys = [accessKeys.notBefore('subject', id), accessKeys.notBefore('app', appId)];
  return grantId ? [...keys, accessKeys.notBefore('grant', grantId)] : keys;
}
