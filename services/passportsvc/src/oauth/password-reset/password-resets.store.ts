import { after, modelOf } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { MailQueue } from '../../groups/mail/mail.js';
import { userModel } from '../../scim/users/user.model.js';
import type { AccountStore } from '../account/account.js';
import { PasswordReset } from './password-reset.js';
import type { PasswordResetStore } from './password-resets.js';

export const passwordResetModel = modelOf('password_resets', PasswordReset, {
  indexes: [
    { key: { userId: 1 }, name: 'user' },
    { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
});

interface Deps {
  mongo: Mongo;
  mailQueue: MailQueue<ClientSession>;
  accountStore: AccountStore<ClientSession>;
}

export function createPasswordResetStore({ mongo, mailQueue, accountStore }: Deps): PasswordResetStore {
  const resets = mongo.model(passwordResetModel);
  const users = mongo.model(userModel);
  const useUpAll = async (userId: string, session?: ClientSession) =>
    void (await resets.updateMany({ userId }, { $set: { isUsed: true } }, { session }));

  return {
    insert: (reset, mail) =>
      mongo.transaction(async (session) => {
        await resets.insertMany([reset], { session });
        await mailQueue.send(session, mail);
      }),
    find: async (id) => (await resets.findById(id).lean()) ?? undefined,
    complete: ({ _id, userId }, passwordHash, isFor) =>
      mongo.transaction(async (session) => {
        const unused = { _id, isUsed: false, validUntil: after(new Date()) };
        const { modifiedCount } = await resets.updateOne(unused, { $set: { isUsed: true } }, { session });
        if (modifiedCount === 0) return false;
        await useUpAll(userId, session);
        const user = await users.findById(userId, null, { session }).lean();
        return user !== null && isFor(user) && accountStore.setPassword(userId, passwordHash, session);
      }),
    endLinks: (userId) => useUpAll(userId),
  };
}
