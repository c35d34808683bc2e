import { modelOf, newId } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { MessageType, Outbox } from '@dtplatform/queue';
import { Mail, NewMail } from './mail.js';

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

/**
 * Stores mails, each with the message that has the worker send it: it is sent if, and only if, the transaction of the caller
 * commits.
 */
export function createMailQueue({ mongo, outbox, sendMessage }: Deps) {
  const mails = mongo.model(mailModel);

  return {
    /** @throws ZodError when the mail is not valid, such as a subject of several lines: a programming error */
    async send(session: ClientSession, mail: NewMail): Promise<void> {
      const _id = newId();
      await mails.insertMany([{ ...NewMail.parse(mail), _id, status: 'QUEUED', createdAt: Date.now() }], { session });
      await outbox.put(session, sendMessage, { mailId: _id }, { id: _id });
    },
  };
}

export type MailQueue = ReturnType<typeof createMailQueue>;

export function createMailStore(mongo: Mongo) {
  const mails = mongo.model(mailModel);

  return {
    /** A mail that is not sent yet. */
    findQueued: async (id: string): Promise<Mail | undefined> =>
      (await mails.findOne({ _id: id, status: 'QUEUED' }).lean()) ?? undefined,
    /** Records the end of a mail and removes its bodies. */
    async end(
      id: string,
      end: Required<Pick<Mail, 'endedAt' | 'expireAt'>> & Pick<Mail, 'status' | 'reason'>,
    ): Promise<void> {
      await mails.updateOne({ _id: id, status: 'QUEUED' }, { $set: end, $unset: { text: '', html: '' } });
    },
    count: (status: Mail['status']): Promise<number> => mails.countDocuments({ status }),
  };
}

export type MailStore = ReturnType<typeof createMailStore>;
