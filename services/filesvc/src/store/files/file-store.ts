import { MongoServerError } from 'mongodb';
import type { ClientSession, Collection } from 'mongodb';
import { findPage, isDuplicateKey, isTimeLimitExceeded, mongoErrors } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { Totals } from '@dtplatform/queue';
import type { File } from '../../domain/files/file.js';
import type { FileChange, FileQuery, FileStore } from '../../domain/files/ports.js';
import { negated, usageOf } from '../../domain/files/usage.js';
import { errors } from '../../errors.js';
import { contentOfUpload, contentOfVersions } from '../announcements.js';
import type { Announcements } from '../announcements.js';
import { collectionsOf } from '../collections.js';
import { filterOf, isNothing, isUnfiltered } from './file-filter.js';
import { totalOf } from './file-totals.js';

const MAX_QUERY_MS = 2_000;
const BY_ID = { _id: 1 } as const;

/** Files in MongoDB. */
export function createFileStore(mongo: Mongo, totals: Totals, announcements: Announcements): FileStore {
  const { files, versions, uploads, drafts } = collectionsOf(mongo.db);

  /** A version replaces its draft: from now on the content belongs to the file. */
  async function writeVersion({ version }: FileChange, session: ClientSession): Promise<void> {
    if (!version) return;
    await versions.insertOne(version, { session, ignoreUndefined: true });
    const { deletedCount } = await drafts.deleteOne({ _id: version._id }, { session });
    if (deletedCount === 0) throw errors.uploadTakenOver();
  }

  return {
    find: async (id) => (await files.findOne({ _id: id })) ?? undefined,
    findMany: async (ids) => (ids.length === 0 ? [] : files.find({ _id: { $in: ids } }).toArray()),
    findByNameKeys: (keys) =>
      files
        .find({ 'internal.nameKeys': { $in: keys } })
        .limit(2)
        .toArray(),
    hasChildren: async (folderId) => (await files.findOne({ _parents: folderId }, { projection: BY_ID })) !== null,

    async list(query, { offset, pageSize }) {
      if (isNothing(query.scope)) return { list: [], total: 0 };
      const page = { offset, pageSize, sort: BY_ID, maxTimeMs: MAX_QUERY_MS };
      try {
        const [list, total] = await Promise.all([
          findPage<File, File>(files, filterOf(query), page),
          count(files, totals, query),
        ]);
        return { list, total };
      } catch (error) {
        throw mapQueryErrors(error, query);
      }
    },

    create: (change) =>
      mapNameConflict(() =>
        mongo.transaction(async (session) => {
          await files.insertOne(change.file, { session, ignoreUndefined: true });
          await writeVersion(change, session);
          await announcements.usage(session, change.file, change.usage, 1);
        }),
      ),

    change: (id, decide, { withVersions } = { withVersions: false }) =>
      mapNameConflict(() =>
        mongo.transaction(async (session) => {
          const file = await files.findOne({ _id: id }, { session });
          if (!file) return undefined;
          const known = withVersions ? await versions.find({ _fileId: id }, { session }).toArray() : [];
          const change = decide(file, known);
          await files.replaceOne({ _id: id }, change.file, { session, ignoreUndefined: true });
          await writeVersion(change, session);
          await announcements.usage(session, change.file, change.usage, 0);
          return change.file;
        }),
      ),

    async setRemoving(id, untilMs) {
      const mark = { 'internal.removingUntil': untilMs };
      await files.updateOne(
        { _id: id },
        untilMs === undefined ? { $unset: { 'internal.removingUntil': 1 } } : { $set: mark },
      );
    },

    remove: (id, precondition) =>
      mongo.transaction(async (session) => {
        const file = await files.findOneAndDelete({ _id: id }, { session });
        if (!file) return;
        precondition?.(file);
        const known = await versions.find({ _fileId: id }, { session }).toArray();
        const uploadId = file.internal.uploadId;
        const upload = uploadId && (await uploads.findOneAndDelete({ _id: uploadId }, { session }));
        await versions.deleteMany({ _fileId: id }, { session });
        await announcements.usage(session, file, negated(usageOf(file, known)), -1);
        await announcements.discard(session, contentOfVersions(known));
        if (upload) await announcements.discard(session, contentOfUpload(upload));
      }),
  };
}

/** Uses the totals when the query covers whole namespaces. */
async function count(files: Collection<File>, totals: Totals, query: FileQuery): Promise<number> {
  const { scope } = query;
  if (scope === 'everything' && isUnfiltered(query)) return files.estimatedDocumentCount();
  if (scope !== 'everything' && scope.some.length === 0 && isUnfiltered(query)) {
    const total = await totalOf(totals, scope.all);
    if (total !== undefined) return total;
  }
  return files.countDocuments(filterOf(query), { maxTimeMS: MAX_QUERY_MS });
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
