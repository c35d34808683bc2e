import { newId } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { MessageType, Outbox } from '@dtplatform/queue';
import { NewMail } from '../../domain/mail/mail.js';
import type { MailQueue } from '../../domain/mail/ports.js';
import { mailModel } from './mail.model.js';

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
