import { after, modelOf } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { NewMail } from '../../groups/mails/mail.js';
import type { MailQueue } from '../../groups/mails/mails.store.js';
import type { User } from '../../scim/users/user.js';
import { userModel } from '../../scim/users/user.model.js';
import type { AccountStore } from '../account/account.store.js';
import { PasswordReset } from './password-reset.js';

export const passwordResetModel = modelOf('password_resets', PasswordReset, {
  indexes: [
    { key: { userId: 1 }, name: 'user' },
    { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
});

interface Deps {
  mongo: Mongo;
  mailQueue: MailQueue;
  accountStore: AccountStore;
}

export function createPasswordResetStore({ mongo, mailQueue, accountStore }: Deps) {
  const resets = mongo.model(passwordResetModel);
  const users = mongo.model(userModel);
  const useUpAll = async (userId: string, session?: ClientSession) =>
    void (await resets.updateMany({ userId }, { $set: { isUsed: true } }, { session }));

  return {
    /** Stores a link and queues its mail atomically. */
    insert: (reset: PasswordReset, mail: NewMail): Promise<void> =>
      mongo.transaction(async (session) => {
        await resets.insertMany([reset], { session });
        await mailQueue.send(session, mail);
      }),
    find: async (id: string): Promise<PasswordReset | undefined> => (await resets.findById(id).lean()) ?? undefined,
    /**
     * Sets the password and uses up all links of the user, atomically.
     * @param isFor whether the link is valid for this user, checked in the transaction @returns false if it is not, or
     * was used
     */
    complete: (
      { _id, userId }: PasswordReset,
      passwordHash: string,
      isFor: (user: User) => boolean,
    ): Promise<boolean> =>
      mongo.transaction(async (session) => {
        const unused = { _id, isUsed: false, validUntil: after(new Date()) };
        const { modifiedCount } = await resets.updateOne(unused, { $set: { isUsed: true } }, { session });
        if (modifiedCount === 0) return false;
        await useUpAll(userId, session);
        const user = await users.findById(userId, null, { session }).lean();
        return user !== null && isFor(user) && accountStore.setPassword(userId, passwordHash, session);
      }),
    endLinks: (userId: string): Promise<void> => useUpAll(userId),
  };
}

export type PasswordResetStore = ReturnType<typeof createPasswordResetStore>;
