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
 * Stores mails with the messages that trigger them: a mail is sent if and only if the caller's transaction commits. A task of
 * `libs/queue` would keep its input, but the body of a mail holds a link that must not outlive it.
 */
export function createMailQueue({ mongo, outbox, sendMessage }: Deps) {
  const mails = mongo.model(mailModel);

  return {
    /** @throws ZodError on an invalid mail, such as a multi-line subject: a programming error */
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
    findQueued: async (id: string): Promise<Mail | undefined> =>
      (await mails.findOne({ _id: id, status: 'QUEUED' }).lean()) ?? undefined,
    /** Records the final status of a mail and removes its bodies. */
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
