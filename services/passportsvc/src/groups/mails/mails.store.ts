import type { Listing, Paging } from '@dtplatform/contracts';
import { listPage, modelOf, newId } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { MessageType, Outbox } from '@dtplatform/queue';
import { Mail, NewMail } from './mail.js';

export const mailModel = modelOf('mails', Mail, {
  indexes: [
    { key: { status: 1, _id: -1 }, name: 'newest_of_status' },
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

  /** @throws ZodError on an invalid mail, such as a multi-line subject: a programming error */
  async function send(session: ClientSession, mail: NewMail): Promise<Mail> {
    const queued: Mail = { ...NewMail.parse(mail), _id: newId(), status: 'QUEUED', createdAt: Date.now() };
    await mails.insertMany([queued], { session });
    await outbox.put(session, sendMessage, { mailId: queued._id }, { id: queued._id });
    return queued;
  }
  /** In a transaction of its own. */
  const sendAlone = (mail: NewMail) => mongo.transaction((session) => send(session, mail));
  return { send, sendAlone };
}

export type MailQueue = ReturnType<typeof createMailQueue>;

export function createMailStore(mongo: Mongo) {
  const mails = mongo.model(mailModel);

  return {
    findQueued: async (id: string): Promise<Mail | undefined> =>
      (await mails.findOne({ _id: id, status: 'QUEUED' }).lean()) ?? undefined,
    /** Records why an attempt failed. */
    recordFailure: async (id: string, reason: string): Promise<void> => {
      await mails.updateOne({ _id: id, status: 'QUEUED' }, { $set: { reason } });
    },
    /** Records the final status of a mail and removes its bodies. */
    async end(
      id: string,
      end: Required<Pick<Mail, 'endedAt' | 'expireAt'>> & Pick<Mail, 'status' | 'reason'>,
    ): Promise<void> {
      await mails.updateOne({ _id: id, status: 'QUEUED' }, { $set: end, $unset: { text: '', html: '' } });
    },
    /** Newest first, without bodies. */
    list: (status: Mail['status'] | undefined, paging: Paging): Promise<Listing<Mail>> =>
      listPage<Mail>(mails, status ? { status } : {}, {
        paging,
        sort: { _id: -1 },
        projection: { text: 0, html: 0 },
      }),
    count: (status: Mail['status']): Promise<number> => mails.countDocuments({ status }),
  };
}

export type MailStore = ReturnType<typeof createMailStore>;
