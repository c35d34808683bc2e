import type { EndAuthorizations } from '../oauth/end-authorizations.js';
import type { AccountStore } from './ports.js';

interface Deps {
  accountStore: Pick<AccountStore, 'endSessions'>;
  endAuthorizations: EndAuthorizations;
}

/**
 * Ends what a user's sign-ins have opened: browser sessions, sign-ins that have not reached their app, refresh tokens and their
 * access tokens. The user can sign in again at once. @param exceptSessionUid a session that stays
 */
export type EndAccess = (userId: string, exceptSessionUid?: string) => Promise<void>;

/** The tokens are refused first: if Redis is unavailable, nothing has changed and the caller can try again. */
export const createEndAccess =
  ({ accountStore, endAuthorizations }: Deps): EndAccess =>
  async (userId, exceptSessionUid) => {
    await endAuthorizations({ accountId: userId });
    await accountStore.endSessions(userId, exceptSessionUid);
  };

/**
 * Writes what the user's access depends on, such as a password. Access ends first, so that nothing has changed if that is
 * impossible, and again afterwards, for what was signed in or refreshed in between.
 * @param write resolves to false if there was nothing to write
 * @returns what `write` resolved to
 */
export async function endAccessAround(write: () => Promise<boolean>, endAccess: () => Promise<void>): Promise<boolean> {
  await endAccess();
  if (!(await write())) return false;
  await endAccess();
  return true;
}
