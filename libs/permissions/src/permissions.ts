import { commonErrors } from '@dtplatform/errors';
import type { Principal } from '@dtplatform/jwt';
import { createAccess, subjectOf } from './access.js';
import type { Access } from './access.js';
import type { GrantCache } from './grant-cache.js';
import type { GrantSource } from './grant-source.js';
import { isRevoked, revocationKeys } from './revocation.js';

/**
 * Looks up what a verified caller may do. @throws 401 when the token was revoked; the error of Redis while it is
 * unavailable
 */
export type OpenAccess = (principal: Principal) => Promise<Access>;

/**
 * One read of Redis returns both a caller's epoch and the marks of revoked tokens. Requests with the same token that arrive in
 * one turn of the event loop share it: it begins after that turn.
 */
export function createPermissions({ cache, source }: { cache: GrantCache; source: GrantSource }): OpenAccess {
  async function open(principal: Principal): Promise<Access> {
    const { lookup, more: marks } = await cache.open(subjectOf(principal), revocationKeys(principal));
    if (isRevoked(principal, marks)) {
      throw commonErrors.unauthorized({ message: 'The access token was revoked.', tokenSent: true });
    }
    return createAccess(principal, lookup, source);
  }

  let opening: Map<Principal, Promise<Access>> | undefined;
  function openingNow(): Map<Principal, Promise<Access>> {
    setImmediate(() => (opening = undefined));
    return new Map();
  }

  return (principal) => {
    opening ??= openingNow();
    const shared = opening.get(principal);
    if (shared) return shared;
    const opened = open(principal);
    opening.set(principal, opened);
    return opened;
  };
}
