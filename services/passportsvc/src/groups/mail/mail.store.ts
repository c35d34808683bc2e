import { modelOf, newId } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { MessageType, Outbox } from '@dtplatform/queue';
import { Mail, NewMail } from './mail.js';
import type { MailQueue, MailStore } from './mail.js';

export const mailModel = modelOf('mails', Mail, {
  indexes: [
    { key: { status: 1, createdAt: 1 }, name: 'status' },
    { key: { expireAt: 1 }, name: 'expire', expireAfterSeconds: 0 },
  ],
});

interface Deps {
  mongo: Mongo;
  outbox: Outbox;
  sendMessage: MessageType<{ mailId: string }>;
}

/** Stores mails, each with the message that has the worker send it. */
export function createMailQueue({ mongo, outbox, sendMessage }: Deps): MailQueue<ClientSession> {
  const mails = mongo.model(mailModel);

  return {
    async send(session, mail) {
      const _id = newId();
      await mails.insertMany([{ ...NewMail.parse(mail), _id, status: 'QUEUED', createdAt: Date.now() }], { session });
      await outbox.put(session, sendMessage, { mailId: _id }, { id: _id });
    },
  };
}

export function createMailStore(mongo: Mongo): MailStore {
  const mails = mongo.model(mailModel);

  return {
    findQueued: async (id) => (await mails.findOne({ _id: id, status: 'QUEUED' }).lean()) ?? undefined,
    async end(id, end) {
      await mails.updateOne({ _id: id, status: 'QUEUED' }, { $set: end, $unset: { text: '', html: '' } });
    },
    count: (status) => mails.countDocuments({ status }),
  };
}
