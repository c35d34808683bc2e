import { trusted } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { AccountStore } from '../../domain/account/ports.js';
import type { MailQueue } from '../../domain/mail/ports.js';
import type { PasswordResetStore } from '../../domain/password-reset/ports.js';
import { passwordResetModel } from './password-reset.model.js';

interface Deps {
  mongo: Mongo;
  mailQueue: MailQueue<ClientSession>;
  accountStore: AccountStore<ClientSession>;
}

export function createPasswordResetStore({ mongo, mailQueue, accountStore }: Deps): PasswordResetStore {
  const resets = mongo.model(passwordResetModel);

  return {
    insert: (reset, mail) =>
      mongo.transaction(async (session) => {
        await resets.insertMany([reset], { session });
        await mailQueue.send(session, mail);
      }),
    find: async (id) => (await resets.findById(id).lean()) ?? undefined,
    complete: ({ _id, userId }, passwordHash) =>
      mongo.transaction(async (session) => {
        const unused = { _id, isUsed: false, validUntil: trusted({ $gt: new Date() }) };
        const { modifiedCount } = await resets.updateOne(unused, { $set: { isUsed: true } }, { session });
        if (modifiedCount === 0) return false;
        await resets.updateMany({ userId }, { $set: { isUsed: true } }, { session });
        await accountStore.setPassword(userId, passwordHash, session);
        return true;
      }),
  };
}
