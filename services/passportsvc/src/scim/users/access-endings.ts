import { z } from 'zod';
import { tryEach } from '@dtplatform/errors';
import type { EndAccess } from '../../oauth/account/account.js';
import type { ConsentStore } from '../../oauth/consents/consents.store.js';
import type { PasswordResetStore } from '../../oauth/password-reset/password-resets.store.js';
import type { AccessEndingStore } from './access-endings.store.js';
import { User } from './user.js';

/**
 * A pending end of a user's access: recorded with the write that causes it, removed once it has taken effect
 * everywhere.
 */
export const AccessEnding = z.object({
  _id: z.string(),
  userId: User.shape._id,
  /** Deletion also removes the consents. */
  isDeleted: z.boolean(),
  /** Set after a password change: the user can sign in again at once. */
  staysActive: z.boolean().optional(),
});
export type AccessEnding = z.infer<typeof AccessEnding>;

const BATCH = 100;

interface Deps {
  accessEndingStore: AccessEndingStore;
  /** Rejects all access tokens of a user that were issued so far. */
  refuseTokensOf: (userId: string) => Promise<void>;
  acceptNewTokensOf: (userId: string) => Promise<void>;
  endAccess: EndAccess;
  consentStore: Pick<ConsentStore, 'removeOfUser'>;
  resetStore: Pick<PasswordResetStore, 'endLinks'>;
  leaveGroups: (userId: string) => Promise<void>;
  newId: () => string;
}

export type AccessEndings = ReturnType<typeof createAccessEndings>;

/**
 * Ends the access of users who are deactivated, deleted or given a new password. The write records an ending in its
 * transaction; the ending is removed last, so that the next sweep repeats whatever failed.
 */
export function createAccessEndings(deps: Deps) {
  const { accessEndingStore, refuseTokensOf, endAccess, consentStore, resetStore, leaveGroups, newId } = deps;

  /** Idempotent. */
  async function finish({ _id, userId, isDeleted, staysActive }: AccessEnding): Promise<void> {
    await resetStore.endLinks(userId);
    // The mark of a user also rejects tokens of sign-ins in the next seconds.
    if (!staysActive) await refuseTokensOf(userId);
    await endAccess(userId);
    if (isDeleted) await Promise.all([consentStore.removeOfUser(userId), leaveGroups(userId)]);
    await accessEndingStore.remove(_id);
  }

  return {
    newEnding: (userId: string, more: Partial<Pick<AccessEnding, 'isDeleted' | 'staysActive'>> = {}): AccessEnding => ({
      _id: newId(),
      userId,
      isDeleted: false,
      ...more,
    }),
    finish,
    /**
     * Call it before reactivating a user: sign-ins that slipped through during the deactivation stay ended, and new
     * tokens work at once.
     */
    async prepareReturn(userId: string): Promise<void> {
      await resetStore.endLinks(userId);
      await endAccess(userId);
      await deps.acceptNewTokensOf(userId);
    },
    /** Repeats endings that failed or whose process crashed. @returns how many */
    async finishPending(): Promise<number> {
      const pending = await accessEndingStore.list(BATCH);
      await tryEach(pending, finish);
      return pending.length;
    },
  };
}
