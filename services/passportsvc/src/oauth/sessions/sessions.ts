import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import type { Users } from '../../scim/users/users.js';
import type { EndAccess } from '../account/account.js';
import type { AccountStore } from '../account/account.store.js';
import type { Authorization, EndAuthorizations } from '../token/authorization.js';
import type { AuthorizationStore } from '../token/authorizations.store.js';

export const Session = z
  .object({
    _id: z.string().max(64).describe('The id of the session.'),
    _type: z
      .enum(['browser', 'app'])
      .describe('`browser`: a browser that is signed in to the platform; `app`: an app with tokens of the user.'),
    _appId: z.string().optional().describe('The id of the app, if it is an app.'),
    _startedAt: z.int().describe('When the user signed in, as Unix milliseconds.'),
    _expiresAt: z.int().describe('When the session expires if it is not used, as Unix milliseconds.'),
  })
  .meta({ id: 'Session', description: 'A sign-in of a user.' });
export type Session = z.infer<typeof Session>;

/** Sessions of each type in a list. */
const MAX_LISTED = 100;

interface Deps {
  users: Pick<Users, 'get' | 'getManaged'>;
  accountStore: AccountStore;
  authorizationStore: Pick<AuthorizationStore, 'listRedeemed'>;
  endAuthorizations: EndAuthorizations;
  endAccess: EndAccess;
}

export type Sessions = ReturnType<typeof createSessions>;

/** The sign-ins of users, for those who manage the users. */
export function createSessions({ users, accountStore, authorizationStore, endAuthorizations, endAccess }: Deps) {
  return {
    /** Newest first, at most 100 of each type. @throws notFound */
    async list(userId: string, access: Access): Promise<Session[]> {
      const { _id } = await users.get(userId, access);
      const [browsers, apps] = await Promise.all([
        accountStore.listSessions(_id),
        authorizationStore.listRedeemed(_id, MAX_LISTED),
      ]);
      const all = [...browsers.map(ofBrowser), ...apps.map(ofApp)];
      return all.sort((one, other) => other._startedAt - one._startedAt);
    },
    /**
     * Ends the sign-in of a browser, or that of an app with its tokens. Apps that a browser signed in to stay signed in.
     * @throws notFound, administratorOnly
     */
    async end(userId: string, sessionId: string, access: Access): Promise<void> {
      const { _id } = await users.getManaged(userId, access);
      const [isBrowser, isApp] = await Promise.all([
        accountStore.endSession(_id, sessionId),
        endAuthorizations({ accountId: _id, id: sessionId }),
      ]);
      if (!isBrowser && !isApp) throw commonErrors.notFound();
    },
    /** Ends all sessions and rejects all tokens. The user can sign in again. @throws notFound, administratorOnly */
    async endAll(userId: string, access: Access): Promise<void> {
      const { _id } = await users.getManaged(userId, access);
      await endAccess(_id);
      // Again, for sign-ins that a browser completed meanwhile.
      await endAccess(_id);
    },
  };
}

const ofBrowser = ({ uid, signedInAt, expiresAt }: Awaited<ReturnType<AccountStore['listSessions']>>[0]): Session => ({
  _id: uid,
  _type: 'browser',
  _startedAt: signedInAt,
  _expiresAt: expiresAt,
});

const ofApp = ({ _id, clientId, expiresAt }: Authorization): Session => ({
  _id,
  _type: 'app',
  _appId: clientId,
  // Ids of authorizations begin with the time of their creation, in seconds.
  _startedAt: parseInt(_id.slice(0, 8), 16) * 1000,
  _expiresAt: expiresAt.getTime(),
});
