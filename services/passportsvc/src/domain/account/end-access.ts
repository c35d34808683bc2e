import type { EndAuthorizations } from '../oauth/end-authorizations.js';
import type { AccountStore } from './ports.js';

interface Deps {
  accountStore: AccountStore;
  endAuthorizations: EndAuthorizations;
}

/** Ends what a user's earlier password has opened: browser sessions, refresh tokens and access tokens. */
export type EndAccess = (userId: string, exceptSessionUid?: string) => Promise<void>;

/** The tokens are refused first: if Redis is unavailable, nothing has changed and the caller can try again. */
export const createEndAccess =
  ({ accountStore, endAuthorizations }: Deps): EndAccess =>
  async (userId, exceptSessionUid) => {
    await endAuthorizations({ accountId: userId });
    await accountStore.endSessions(userId, exceptSessionUid);
  };
