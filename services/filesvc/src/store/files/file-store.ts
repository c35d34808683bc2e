import { listPage, oneOf, queryLimits, shareCommits } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { Totals } from '@dtplatform/queue';
import type { FileChange, FileQuery, FileStore, Writing } from '../../domain/files/ports.js';
import { errors } from '../../errors.js';
import type { Announcements } from '../announcements.js';
import { draftModel } from './draft.model.js';
import { filterOf, isUnfiltered, mapQueryErrors } from './file-filter.js';
import { fileModel } from './file.model.js';
import { totalOf } from './file-totals.js';
import { fileWriter } from './file-writer.js';

/** Files in MongoDB. */
export function createFileStore(mongo: Mongo, totals: Totals, announcements: Announcements): FileStore {
  const files = mongo.model(fileModel);
  const drafts = mongo.model(draftModel);
  const writer = fileWriter(mongo, announcements);

  /** Versions replace their drafts: from now on the content belongs to the files. */
  async function removeDrafts(changes: FileChange[], session: ClientSession): Promise<void> {
    const ids = changes.flatMap(({ version }) => version?._id ?? []);
    if (ids.length === 0) return;
    const { deletedCount } = await drafts.deleteMany({ _id: oneOf(ids) }, { session });
    if (deletedCount < ids.length) throw errors.uploadTakenOver();
  }

  const create = shareCommits<FileChange, void>(mongo, (changes) =>
    writer.transaction(async (session) => {
      await writer.create(changes, session);
      await removeDrafts(changes, session);
      return changes.map(() => undefined);
    }),
  );

  const when = <T>({ apart = false }: Writing = {}, write: () => Promise<T>): Promise<T> =>
    apart ? mongo.apart(write) : write();

  /** Uses the totals when the query covers whole namespaces. */
  async function count(query: FileQuery): Promise<number> {
    const { scope } = query;
    if (isUnfiltered(query)) {
      if (scope === 'everything') return files.estimatedDocumentCount();
      const total = scope.some.length === 0 ? await totalOf(totals, scope.all) : undefined;
      if (total !== undefined) return total;
    }
    return files.countDocuments(filterOf(query), queryLimits());
  }

  return {
    find: async (id) => (await files.findById(id).lean()) ?? undefined,
    findMany: async (ids) => (ids.length === 0 ? [] : files.find({ _id: oneOf(ids) }).lean()),
    async findPlace(folderIds, nameKeys) {
      const named = { 'internal.nameKeys': oneOf(nameKeys) };
      const filter = folderIds.length > 0 ? { $or: [{ _id: oneOf(folderIds) }, named] } : named;
      const found = await files.find(filter).lean();
      return {
        folders: found.filter(({ _id }) => folderIds.includes(_id)),
        holders: found.filter(({ internal }) => internal.nameKeys.some((key) => nameKeys.includes(key))),
      };
    },

    list: (query, paging) =>
      listPage(files, filterOf(query), { paging, total: () => count(query) }).catch((error: unknown) => {
        throw mapQueryErrors(error, query);
      }),

    create: (change, writing) => when(writing, () => create(change)),

    change: (id, decide, writing) =>
      when(writing, () =>
        writer.transaction(async (session) => {
          const file = await files.findById(id).session(session).lean();
          if (!file) return undefined;
          const change = decide(file);
          const [changed] = await writer.change([change], session);
          await removeDrafts([change], session);
          return changed;
        }),
      ),
  };
}
