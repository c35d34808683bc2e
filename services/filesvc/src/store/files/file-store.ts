import { listPage, queryLimits, trusted } from '@dtplatform/mongo';
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

  /** A version replaces its draft: from now on the content belongs to the file. */
  async function removeDraft({ version }: FileChange, session: ClientSession): Promise<void> {
    if (!version) return;
    const { deletedCount } = await drafts.deleteOne({ _id: version._id }, { session });
    if (deletedCount === 0) throw errors.uploadTakenOver();
  }

  const write = <T>({ apart = false }: Writing = {}, work: (session: ClientSession) => Promise<T>): Promise<T> =>
    apart ? mongo.apart(() => writer.transaction(work)) : writer.transaction(work);

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
    findMany: async (ids) => (ids.length === 0 ? [] : files.find({ _id: trusted({ $in: ids }) }).lean()),
    findByNameKeys: (keys) =>
      files
        .find({ 'internal.nameKeys': trusted({ $in: keys }) })
        .limit(2)
        .lean(),

    list: (query, paging) =>
      listPage(files, filterOf(query), { paging, total: () => count(query) }).catch((error: unknown) => {
        throw mapQueryErrors(error, query);
      }),

    create: (change, writing) =>
      write(writing, async (session) => {
        await writer.create(change, session);
        await removeDraft(change, session);
      }),

    change: (id, decide, writing) =>
      write(writing, async (session) => {
        const change = await writer.change({ _id: id }, decide, session);
        if (change) await removeDraft(change, session);
        return change?.file;
      }),
  };
}
