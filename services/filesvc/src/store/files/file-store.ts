import { deleteIfMatch, isDuplicateKey, isTimeLimitExceeded, listPage } from '@dtplatform/mongo';
import { MAX_QUERY_MS, mongoErrors, MongoServerError, trusted } from '@dtplatform/mongo';
import type { ClientSession, Model, Mongo } from '@dtplatform/mongo';
import type { Totals } from '@dtplatform/queue';
import type { File } from '../../domain/files/file.js';
import type { FileChange, FileQuery, FileStore } from '../../domain/files/ports.js';
import { negated, usageOf } from '../../domain/files/usage.js';
import { errors } from '../../errors.js';
import { contentOfUpload, contentOfVersions } from '../announcements.js';
import type { Announcements } from '../announcements.js';
import { uploadModel } from '../uploads/upload.model.js';
import { draftModel } from './draft.model.js';
import { filterOf, isUnfiltered } from './file-filter.js';
import { fileModel } from './file.model.js';
import { totalOf } from './file-totals.js';
import { versionModel } from './file-version.model.js';

/** Files in MongoDB. */
export function createFileStore(mongo: Mongo, totals: Totals, announcements: Announcements): FileStore {
  const files = mongo.model(fileModel);
  const versions = mongo.model(versionModel);
  const drafts = mongo.model(draftModel);
  const uploads = mongo.model(uploadModel);

  /** A version replaces its draft: from now on the content belongs to the file. */
  async function writeVersion({ version }: FileChange, session: ClientSession): Promise<void> {
    if (!version) return;
    await versions.create([version], { session });
    const { deletedCount } = await drafts.deleteOne({ _id: version._id }, { session });
    if (deletedCount === 0) throw errors.uploadTakenOver();
  }

  /** Uses the totals when the query covers whole namespaces. */
  async function count(query: FileQuery): Promise<number> {
    const { scope } = query;
    if (isUnfiltered(query)) {
      if (scope === 'everything') return files.estimatedDocumentCount();
      const total = scope.some.length === 0 ? await totalOf(totals, scope.all) : undefined;
      if (total !== undefined) return total;
    }
    return files.countDocuments(filterOf(query)).maxTimeMS(MAX_QUERY_MS);
  }

  return {
    find: async (id) => (await files.findById(id).lean()) ?? undefined,
    findMany: async (ids) => (ids.length === 0 ? [] : files.find({ _id: trusted({ $in: ids }) }).lean()),
    findByNameKeys: (keys) =>
      files
        .find({ 'internal.nameKeys': trusted({ $in: keys }) })
        .limit(2)
        .lean(),
    hasChildren: async (folderId) => (await files.exists({ _parents: folderId })) !== null,

    list: (query, paging) =>
      listPage(files, filterOf(query), { paging, total: () => count(query) }).catch((error: unknown) => {
        throw mapQueryErrors(error, query);
      }),

    create: (change) =>
      mapNameConflict(() =>
        mongo.transaction(async (session) => {
          await files.create([change.file], { session });
          await writeVersion(change, session);
          await announcements.usage(session, change.file, change.usage, 1);
        }),
      ),

    change: (id, decide, { withVersions } = { withVersions: false }) =>
      mapNameConflict(() =>
        mongo.transaction(async (session) => {
          const file = await files.findById(id).session(session).lean();
          if (!file) return undefined;
          const known = withVersions ? await versions.find({ _fileId: id }).session(session).lean() : [];
          const change = decide(file, known);
          await writeVersion(change, session);
          await announcements.usage(session, change.file, change.usage, 0);
          return replaceFile(files, change.file, session);
        }),
      ),

    async setRemoving(id, untilMs) {
      const field = { 'internal.removingUntil': untilMs };
      const update = untilMs === undefined ? { $unset: field } : { $set: field };
      // By the driver, which does not raise the revision: callers do not see the mark, and their `If-Match` holds.
      await files.collection.updateOne({ _id: id as never }, update);
    },

    remove: (id, precondition) =>
      mongo.transaction(async (session) => {
        const file = await deleteIfMatch(files, id, { precondition, session });
        if (!file) return;
        const known = await versions.find({ _fileId: id }).session(session).lean();
        const { uploadId } = file.internal;
        const upload = uploadId && (await uploads.findOneAndDelete({ _id: uploadId }, { session }).lean());
        await versions.deleteMany({ _fileId: id }, { session });
        await announcements.usage(session, file, negated(usageOf(file, known)), -1);
        await announcements.discard(session, contentOfVersions(known));
        if (upload) await announcements.discard(session, contentOfUpload(upload));
      }),
  };
}

/**
 * Replaces a file by what was decided for it in this transaction, so that fields that are gone are removed. The transaction
 * runs again when another one has changed the file since it was read.
 */
export async function replaceFile(files: Model<File>, decided: File, session: ClientSession): Promise<File> {
  const file = { ...decided, _revision: (decided._revision ?? 0) + 1 };
  await files.replaceOne({ _id: file._id }, file, { session });
  return file;
}

/** Reports a violation of the unique index over names. @throws 400 */
export async function mapNameConflict<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isDuplicateKey(error, 'internal.nameKeys') ? errors.nameTaken({ cause: error }) : error;
  }
}

/** MongoDB accepts other regular expressions than RE2. What it rejects is the caller's pattern. */
function mapQueryErrors(error: unknown, { name }: FileQuery): unknown {
  if (isTimeLimitExceeded(error)) return errors.patternTooSlow({ cause: error });
  const isRefused = name !== undefined && error instanceof MongoServerError && mongoErrors(error) === undefined;
  return isRefused ? errors.invalidPattern({ cause: error }) : error;
}
