import type { Mongo } from '@dtplatform/mongo';
import type { DraftStore } from '../../domain/files/ports.js';
import { contentOfDraft } from '../announcements.js';
import type { Announcements } from '../announcements.js';
import { collectionsOf } from '../collections.js';

/** Drafts in MongoDB. */
export function createDraftStore(mongo: Mongo, announcements: Announcements): DraftStore {
  const { drafts } = collectionsOf(mongo.db);
  return {
    add: async (draft) => void (await drafts.insertOne({ ...draft, touchedAt: new Date() })),
    setMultipart: async (id, multipartId) => void (await drafts.updateOne({ _id: id }, { $set: { multipartId } })),
    touch: async (id) => void (await drafts.updateOne({ _id: id }, { $currentDate: { touchedAt: true } })),
    discard: (id, abandonedSince) =>
      mongo.transaction(async (session) => {
        const unmoved = abandonedSince ? { touchedAt: { $lt: abandonedSince } } : {};
        const draft = await drafts.findOneAndDelete({ _id: id, ...unmoved }, { session });
        if (draft) await announcements.discard(session, contentOfDraft(draft));
      }),
    findAbandoned: (since, limit) =>
      drafts
        .find({ touchedAt: { $lt: since } })
        .limit(limit)
        .toArray(),
  };
}
