import { after, not } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { userModel } from '../../scim/users/user.model.js';
import { ENDED, interactionModel, sessionModel } from '../authorize/browser-states.store.js';
import type { BrowserState } from '../authorize/browser-states.store.js';
import type { AccountStore, UserSession } from './account.js';

const MAX_SESSIONS = 100;

export function createAccountStore(mongo: Mongo): AccountStore<ClientSession> {
  const sessions = mongo.model(sessionModel);
  const interactions = mongo.model(interactionModel);
  const users = mongo.model(userModel);
  const of = (userId: string) => ({ 'state.accountId': userId });

  return {
    async listSessions(userId) {
      const alive = { ...of(userId), expiresAt: after(new Date()) };
      const newest = { sort: { 'state.loginTs': -1 }, limit: MAX_SESSIONS } as const;
      return (await sessions.find(alive, null, newest).lean()).map(sessionOf);
    },
    endSession: async (userId, uid) => (await sessions.updateOne({ ...of(userId), uid }, ENDED)).modifiedCount === 1,
    async endSessions(userId, exceptUid) {
      await sessions.updateMany({ ...of(userId), ...(exceptUid && { uid: not(exceptUid) }) }, ENDED);
      await interactions.deleteMany({ 'state.result.login.accountId': userId });
    },
    async setPassword(userId, _passwordHash, session) {
      const $set = { _passwordHash, _updatedAt: Date.now() };
      return (await users.updateOne({ _id: userId }, { $set }, { session })).matchedCount === 1;
    },
  };
}

const sessionOf = ({ uid, state, expiresAt }: BrowserState): UserSession => ({
  uid: uid!,
  signedInAt: Number(state.loginTs) * 1000,
  expiresAt: expiresAt.getTime(),
});
