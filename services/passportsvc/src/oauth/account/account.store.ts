import { after, not } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { userModel } from '../../scim/users/user.model.js';
import { ENDED, interactionModel, sessionModel } from '../authorize/browser-states.store.js';
import type { BrowserState } from '../authorize/browser-states.store.js';
import type { UserSession } from './account.js';

const MAX_SESSIONS = 100;

export function createAccountStore(mongo: Mongo) {
  const sessions = mongo.model(sessionModel);
  const interactions = mongo.model(interactionModel);
  const users = mongo.model(userModel);
  const of = (userId: string) => ({ 'state.accountId': userId });

  return {
    /** Newest first, at most 100. */
    async listSessions(userId: string): Promise<UserSession[]> {
      const alive = { ...of(userId), expiresAt: after(new Date()) };
      const newest = { sort: { 'state.loginTs': -1 }, limit: MAX_SESSIONS } as const;
      return (await sessions.find(alive, null, newest).lean()).map(sessionOf);
    },
    endSession: async (userId: string, uid: string): Promise<boolean> =>
      (await sessions.updateOne({ ...of(userId), uid }, ENDED)).modifiedCount === 1,
    /** Ends the user's sessions except `exceptUid`, and unfinished sign-ins. */
    async endSessions(userId: string, exceptUid?: string): Promise<void> {
      await sessions.updateMany({ ...of(userId), ...(exceptUid && { uid: not(exceptUid) }) }, ENDED);
      await interactions.deleteMany({ 'state.result.login.accountId': userId });
    },
    /** @returns false when the user has been deleted */
    async setPassword(userId: string, _passwordHash: string, session?: ClientSession): Promise<boolean> {
      const $set = { _passwordHash, _updatedAt: Date.now() };
      return (await users.updateOne({ _id: userId }, { $set }, { session })).matchedCount === 1;
    },
  };
}

export type AccountStore = ReturnType<typeof createAccountStore>;

const sessionOf = ({ uid, state, expiresAt }: BrowserState): UserSession => ({
  uid: uid!,
  signedInAt: Number(state.loginTs) * 1000,
  expiresAt: expiresAt.getTime(),
});
