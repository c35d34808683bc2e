import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { matchesPrecondition, touchedBy } from '@dtplatform/resource';
import type { Listing, Paging, Precondition } from '@dtplatform/resource';
import { errors } from '../../errors.js';
import { FILE_TYPE } from './file.js';
import type { File } from './file.js';
import { maySee, ownNew, requireFile } from './file-access.js';
import { assertPattern } from './name-pattern.js';
import { nameKeys, newFile } from './placement.js';
import type { Place, Placements } from './placement.js';
import type { FileChange, FileQuery, FileStore } from './ports.js';
import { isGraphics, negated, usageOf } from './usage.js';

export interface ListRequest extends Omit<FileQuery, 'scope'> {
  /** The `nsfilter` of the call. */
  context: string;
  /** Default: all namespaces of the caller. */
  namespaces?: string[];
}

interface NewName {
  name: string;
  tags?: string[];
}

export type Files = ReturnType<typeof createFiles>;

interface Deps {
  fileStore: FileStore;
  placements: Placements;
  newId: () => string;
}

/** Folders and files. How content gets into files is in `form-uploads.ts` and `../uploads`. */
export function createFiles({ fileStore, placements, newId }: Deps) {
  return {
    find: (id: string) => fileStore.find(id),
    require: requireFile,

    /** @throws 400 when the name is taken */
    async createFolder(folder: Place & { tags: string[] }, context: string, access: Access): Promise<File> {
      const placement = await placements.decide(folder, 'dir', context, access);
      const author = access.principal;
      const created = newFile(newId(), placement, 'dir', { status: 'CREATED', tags: folder.tags, author });
      await ownNew(access, created);
      await fileStore.create({ file: created, usage: [] });
      return created;
    },

    /** Lists the matching files that the caller may read. @throws 400 for a bad pattern */
    async list({ context, namespaces, ...query }: ListRequest, paging: Paging, access: Access): Promise<Listing<File>> {
      if (query.name !== undefined) assertPattern(query.name);
      if (!(await maySee(access, context))) return { list: [], total: 0 };
      return fileStore.list({ ...query, scope: await access.scope('READ', FILE_TYPE, namespaces) }, paging);
    },

    /** Renames a file or folder and replaces its tags, if any are given. @throws 400 when the name is taken */
    async update(id: string, change: NewName, access: Access, precondition: Precondition): Promise<File> {
      const decide = (file: File, versions: Parameters<typeof usageOf>[1]): FileChange => {
        if (!matchesPrecondition(file, precondition)) throw commonErrors.preconditionFailed();
        const tags = change.tags ?? file._tags;
        const renamed: File = {
          ...file,
          _name: change.name,
          _tags: tags,
          _metadata: touchedBy(access.principal, file._metadata),
          internal: { ...file.internal, nameKeys: nameKeys(placeOf(file, change.name), file._type) },
        };
        const isOtherKind = isGraphics(renamed) !== isGraphics(file);
        const usage = isOtherKind ? [...negated(usageOf(file, versions)), ...usageOf(renamed, versions)] : [];
        return { file: renamed, usage };
      };
      const updated = await fileStore.change(id, decide, { withVersions: change.tags !== undefined });
      if (!updated) throw errors.fileNotFound();
      return updated;
    },

    /** Removes a file with all its versions, or a folder. @throws 404 when it is gone, 409 when the folder is not empty */
    async remove({ _id }: File, precondition: Precondition): Promise<void> {
      if (!(await fileStore.remove(_id, precondition))) throw commonErrors.notFound();
    },
  };
}

const placeOf = ({ _namespaces, _parents }: File, name: string): Place => ({
  name,
  namespaces: _namespaces,
  parents: _parents,
});
