import { before, coalesce, SHARED_WRITE } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { Draft } from '../../domain/files/file.js';
import type { DraftStore } from '../../domain/files/ports.js';
import { contentOfDraft } from '../announcements.js';
import type { Announcements } from '../announcements.js';
import { draftModel } from './draft.model.js';

/** Drafts in MongoDB. */
export function createDraftStore(mongo: Mongo, announcements: Announcements): DraftStore {
  const drafts = mongo.model(draftModel);
  const unmovedSince = (time: Date) => ({ touchedAt: before(time) });
  // Requests at the same time share an insert.
  const add = coalesce(async (added: Draft[]) => void (await drafts.insertMany(added, { lean: true })), SHARED_WRITE);
  return {
    add: (draft) => add({ ...draft, touchedAt: new Date() }),
    setMultipart: async (id, multipartId) => void (await drafts.updateOne({ _id: id }, { multipartId })),
    touch: async (id) => void (await drafts.updateOne({ _id: id }, { $currentDate: { touchedAt: true } })),
    // What a request gives up is not part of what it writes.
    discard: (id, abandonedSince) =>
      mongo.apart(() =>
        mongo.transaction(async (session) => {
          const filter = { _id: id, ...(abandonedSince && unmovedSince(abandonedSince)) };
          const draft = await drafts.findOneAndDelete(filter, { session }).lean();
          if (draft) await announcements.discard(session, contentOfDraft(draft));
        }),
      ),
    findAbandoned: (since, limit) => drafts.find(unmovedSince(since)).limit(limit).lean(),
  };
}
