import { isDuplicateKey, touchParents, trusted } from '@dtplatform/mongo';
import type { ClientSession, Filter, Mongo } from '@dtplatform/mongo';
import { revisionOf } from '@dtplatform/resource';
import type { Author } from '@dtplatform/resource';
import type { File, FileVersion } from '../../domain/files/file.js';
import { leaveNamespaces } from '../../domain/files/leave-namespaces.js';
import type { FileChange } from '../../domain/files/ports.js';
import { ancestorsBelow, isOpenFolder } from '../../domain/files/placement.js';
import { fileCounted, negated, usageOfVersion } from '../../domain/files/usage.js';
import { errors } from '../../errors.js';
import type { Announcements } from '../announcements.js';
import { fileModel, versionModel } from './file.model.js';

/** A message about the usage of so many versions stays small. */
const VERSIONS_AT_ONCE = 500;

/** Writes of files with their versions and usage, as parts of a transaction. */
export function fileWriter(mongo: Mongo, announcements: Announcements) {
  const files = mongo.model(fileModel);
  const versions = mongo.model(versionModel);

  /**
   * Replaces a file by what was decided for it, so that optional fields can be removed. The transaction runs again when
   * another one has changed the file since it was read.
   */
  async function replace(decided: File, session: ClientSession): Promise<File> {
    const file = { ...decided, _revision: revisionOf(decided) + 1 };
    await files.replaceOne({ _id: file._id }, file, { session });
    return file;
  }

  /**
   * Also for what is moved: its folders remain where they are until the commit.
   * @throws 400 when a folder that the file goes into was removed, or left a namespace, in the meantime, 409 when one was moved
   */
  async function requireFolders({ _parents, _namespaces, internal }: File, session: ClientSession): Promise<void> {
    if (_parents.length === 0) return;
    await touchParents(mongo, _parents, session);
    const isParent = { _id: trusted({ $in: _parents }), _namespaces: trusted({ $all: _namespaces }) };
    const folders = await files.find(isParent, { _type: 1, internal: 1 }).session(session).lean();
    if (folders.filter(isOpenFolder).length < _parents.length) throw errors.unknownParent();
    // Permissions were decided by the folders above it.
    const ancestors = ancestorsBelow(folders);
    const isSame =
      ancestors.length === internal.ancestors.length && ancestors.every((id) => internal.ancestors.includes(id));
    if (!isSame) throw errors.folderMoved();
  }

  /** Reports what a change of an existing file adds. Call it before a new version is stored. */
  async function reportUsage({ file, usage, recount }: FileChange, session: ClientSession): Promise<void> {
    await announcements.usage(session, file, usage, 0);
    if (recount)
      await eachBatch(mongo, file._id, session, (batch) => announcements.usage(session, file, recount(batch), 0));
  }

  /** Takes a file or folder out of namespaces, if it is in others, too. */
  async function leave(file: File, left: string[], by: Author, session: ClientSession): Promise<void> {
    const remaining = leaveNamespaces(file, left, by);
    if (!remaining) return;
    await announcements.move(session, file, remaining, file._tipId === undefined ? [] : [fileCounted(file)]);
    const gone = { ...file, _namespaces: file._namespaces.filter((namespace) => left.includes(namespace)) };
    await eachBatch(mongo, file._id, session, (batch) =>
      announcements.usage(session, gone, negated(batch.flatMap((version) => usageOfVersion(file, version))), 0),
    );
    await replace(remaining, session);
  }

  async function addVersion(version: FileVersion, session: ClientSession): Promise<void> {
    await versions.create([version], { session });
    await announcements.requestPreviews(session, version);
  }

  return {
    replace,
    requireFolders,
    reportUsage,
    leave,

    /** @throws 400 when the name of a file is taken */
    transaction: <T>(
      work: (session: ClientSession) => Promise<T>,
      options?: Parameters<typeof mongo.transaction<T>>[1],
    ): Promise<T> =>
      mongo.transaction(work, options).catch((error: unknown) => {
        throw isDuplicateKey(error, 'internal.nameKeys') ? errors.nameTaken({ cause: error }) : error;
      }),

    async create({ file, version, usage }: FileChange, session: ClientSession): Promise<void> {
      await requireFolders(file, session);
      await files.create([file], { session });
      if (version) await addVersion(version, session);
      await announcements.usage(session, file, usage, 1);
    },

    /** @returns undefined when no file matches */
    async change(
      filter: Filter,
      decide: (file: File) => FileChange,
      session: ClientSession,
    ): Promise<FileChange | undefined> {
      const file = await files.findOne(filter).session(session).lean();
      if (!file) return undefined;
      const change = decide(file);
      await reportUsage(change, session);
      if (change.version) await addVersion(change.version, session);
      return { ...change, file: await replace(change.file, session) };
    },
  };
}

/** Works on all versions of a file, a bounded number at a time. */
async function eachBatch(
  mongo: Mongo,
  _fileId: string,
  session: ClientSession,
  work: (batch: FileVersion[]) => Promise<void>,
): Promise<void> {
  let after = -Infinity;
  for (;;) {
    const later = mongo
      .model(versionModel)
      .find({ _fileId, _version: trusted({ $gt: after }) })
      .sort({ _version: 1 });
    const batch = await later.limit(VERSIONS_AT_ONCE).session(session).lean();
    if (batch.length > 0) await work(batch);
    if (batch.length < VERSIONS_AT_ONCE) return;
    after = batch.at(-1)!._version;
  }
}
