import type { Mongo } from '@dtplatform/mongo';
import type { MailStore } from '../../domain/mail/ports.js';
import { mailModel } from './mail.model.js';

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
