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

/** One read of Redis per request returns both the caller's epoch and the marks of revoked tokens. */
export function createPermissions({ cache, source }: { cache: GrantCache; source: GrantSource }): OpenAccess {
  return async (principal) => {
    const { lookup, more: marks } = await cache.open(subjectOf(principal), revocationKeys(principal));
    if (isRevoked(principal, marks)) {
      throw commonErrors.unauthorized({ message: 'The access token was revoked.', tokenSent: true });
    }
    return createAccess(principal, lookup, source);
  };
}
