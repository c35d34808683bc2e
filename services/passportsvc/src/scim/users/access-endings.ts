import { z } from 'zod';
import { tryEach } from '@dtplatform/errors';
import type { EndAccess } from '../../oauth/account/account.js';
import type { ConsentStore } from '../../oauth/consents/consents.store.js';
import type { PasswordResetStore } from '../../oauth/password-reset/password-resets.store.js';
import type { AccessEndingStore } from './access-endings.store.js';
import { User } from './user.js';

/** The access of a user must end: recorded with the write that ends it, and removed when it has ended everywhere. */
export const AccessEnding = z.object({
  _id: z.string(),
  userId: User.shape._id,
  /** The user is deleted: the consents go, too. */
  isDeleted: z.boolean(),
  /** The user has a new password and can sign in with it at once. Absent otherwise. */
  staysActive: z.boolean().optional(),
});
export type AccessEnding = z.infer<typeof AccessEnding>;

const BATCH = 100;

interface Deps {
  accessEndingStore: AccessEndingStore;
  /** Rejects all access tokens of a user that were issued until now. */
  refuseTokensOf: (userId: string) => Promise<void>;
  /** Accepts new ones again, at once. */
  acceptNewTokensOf: (userId: string) => Promise<void>;
  endAccess: EndAccess;
  consentStore: Pick<ConsentStore, 'removeOfUser'>;
  resetStore: Pick<PasswordResetStore, 'endLinks'>;
  /** Takes a deleted user out of all user groups. */
  leaveGroups: (userId: string) => Promise<void>;
  newId: () => string;
}

export type AccessEndings = ReturnType<typeof createAccessEndings>;

/**
 * Ends the access of users who are deactivated, deleted or given a new password (docs/adr/0039). The write records an ending in
 * its transaction; the ending is removed last, so whatever fails in between is repeated by the next sweep.
 */
export function createAccessEndings(deps: Deps) {
  const { accessEndingStore, refuseTokensOf, endAccess, consentStore, resetStore, leaveGroups, newId } = deps;

  /** Ends the access. May run several times. */
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
     * Before a user is active again: what processes that did not know of the deactivation yet let happen must not come back to
     * life, and new tokens must work at once.
     */
    async prepareReturn(userId: string): Promise<void> {
      await resetStore.endLinks(userId);
      await endAccess(userId);
      await deps.acceptNewTokensOf(userId);
    },
    /** Ends what processes that died, or did not reach Redis, left behind. @returns how many */
    async finishPending(): Promise<number> {
      const pending = await accessEndingStore.list(BATCH);
      await tryEach(pending, finish);
      return pending.length;
    },
  };
}
