import type { ConsentStore } from '../consents/ports.js';
import type { EndAuthorizations } from '../oauth/end-authorizations.js';
import type { BrowserStateStore } from '../oauth/ports.js';
import type { AccessEnding } from './access-ending.js';
import type { AccessEndingStore } from './ports.js';

const BATCH = 100;

interface Deps {
  accessEndingStore: AccessEndingStore;
  /** Refuses all access tokens of a user that were issued until now. */
  refuseTokensOf: (userId: string) => Promise<void>;
  /** Accepts new ones again, at once. */
  acceptNewTokensOf: (userId: string) => Promise<void>;
  endAuthorizations: EndAuthorizations;
  sessionStore: Pick<BrowserStateStore, 'removeOfAccount'>;
  consentStore: Pick<ConsentStore, 'removeOfUser'>;
  /** Takes a deleted user out of all user groups. */
  leaveGroups: (userId: string) => Promise<void>;
  newId: () => string;
}

export type UserAccess = ReturnType<typeof createUserAccess>;

/**
 * Ends what users can do with their sign-ins (docs/adr/0039). The write that deactivates a user records an ending in its
 * transaction; the ending is removed last, so whatever fails in between is repeated by the next sweep.
 */
export function createUserAccess(deps: Deps) {
  const { accessEndingStore, refuseTokensOf, endAuthorizations, sessionStore, consentStore, leaveGroups, newId } = deps;

  /** Removes what could be used to get new tokens. */
  async function forget(userId: string): Promise<void> {
    await Promise.all([endAuthorizations({ accountId: userId }), sessionStore.removeOfAccount(userId)]);
  }

  /** Ends the access. May run several times. */
  async function finish({ _id, userId, isDeleted }: AccessEnding): Promise<void> {
    await refuseTokensOf(userId);
    await forget(userId);
    if (isDeleted) await Promise.all([consentStore.removeOfUser(userId), leaveGroups(userId)]);
    await accessEndingStore.remove(_id);
  }

  const newEnding = (userId: string, isDeleted = false): AccessEnding => ({ _id: newId(), userId, isDeleted });

  return {
    newEnding,
    finish,
    /**
     * Before a user is active again: what processes that did not know of the deactivation yet let happen must not come back to
     * life, and new tokens must work at once.
     */
    async prepareReturn(userId: string): Promise<void> {
      await forget(userId);
      await deps.acceptNewTokensOf(userId);
    },
    /** Signs a user out everywhere: all sessions, refresh tokens and access tokens end. The user may sign in again. */
    async end(userId: string): Promise<void> {
      const ending = newEnding(userId);
      await accessEndingStore.record(ending);
      await finish(ending);
    },
    /** Ends what processes that died, or did not reach Redis, left behind. @returns how many */
    async finishPending(): Promise<number> {
      const pending = await accessEndingStore.list(BATCH);
      for (const ending of pending) await finish(ending);
      return pending.length;
    },
  };
}
