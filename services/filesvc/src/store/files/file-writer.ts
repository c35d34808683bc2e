import { isDuplicateKey, touchParents, trusted } from '@dtplatform/mongo';
import type { ClientSession, Filter, Mongo } from '@dtplatform/mongo';
import { revisionOf } from '@dtplatform/resource';
import type { File, FileVersion } from '../../domain/files/file.js';
import type { FileChange } from '../../domain/files/ports.js';
import { isOpenFolder } from '../../domain/files/placement.js';
import { errors } from '../../errors.js';
import type { Announcements } from '../announcements.js';
import { fileModel, versionModel } from './file.model.js';

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

  /** @throws 400 when a folder that the file goes into was removed in the meantime */
  async function requireFolders({ _parents }: File, session: ClientSession): Promise<void> {
    if (_parents.length === 0) return;
    await touchParents(mongo, _parents, session);
    const isParent = { _id: trusted({ $in: _parents }) };
    const folders = await files.find(isParent, { _type: 1, internal: 1 }).session(session).lean();
    if (folders.filter(isOpenFolder).length < _parents.length) throw errors.unknownParent();
  }

  return {
    replace,

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
      if (version) await versions.create([version], { session });
      await announcements.usage(session, file, usage, 1);
    },

    /** @returns undefined when no file matches */
    async change(
      filter: Filter,
      decide: (file: File, versions: FileVersion[]) => FileChange,
      { withVersions, session }: { withVersions: boolean; session: ClientSession },
    ): Promise<FileChange | undefined> {
      const file = await files.findOne(filter).session(session).lean();
      if (!file) return undefined;
      const known = withVersions ? await versions.find({ _fileId: file._id }).session(session).lean() : [];
      const change = decide(file, known);
      if (change.version) await versions.create([change.version], { session });
      await announcements.usage(session, change.file, change.usage, 0);
      return { ...change, file: await replace(change.file, session) };
    },
  };
}
