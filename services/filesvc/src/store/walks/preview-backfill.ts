import { idAt, trusted } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { createOutbox } from '@dtplatform/queue';
import type { PreviewBackfill } from '../../domain/walks/ports.js';
import type { Announcements } from '../announcements.js';
import { versionModel } from '../files/file.model.js';

/** Versions without previews in MongoDB. Their ids rise with the time of upload. */
export function createPreviewBackfillStore(mongo: Mongo, announcements: Announcements): PreviewBackfill {
  const versions = mongo.model(versionModel);
  const outbox = createOutbox(mongo);
  return {
    next: (after = '', olderThan, limit) =>
      versions
        .find({ _id: trusted({ $gt: after, $lt: idAt(olderThan) }) })
        .sort({ _id: 1 })
        .limit(limit)
        .lean(),
    async request(wanted) {
      if (wanted.length === 0) return [];
      const messages = wanted.map((version) => ({ version, id: `previews-${version._id}` }));
      await mongo.transaction((session) => announcements.requestPreviews(session, messages));
      return messages.map(({ id }) => id);
    },
    countPending: (messageIds) => outbox.countPending(messageIds),
  };
}
