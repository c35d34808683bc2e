import type { Paging } from '@dtplatform/http';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { FILE_TYPE } from './file.js';
import type { StoredFile } from './file.js';
import { maySee, ownNew } from './file-access.js';
import { touchedBy } from './metadata.js';
import { nameKeys } from './name-keys.js';
import type { Place } from './name-keys.js';
import { assertPattern } from './name-pattern.js';
import { newFile } from './placement.js';
import type { Placements } from './placement.js';
import type { FileChange, FileQuery, FileStore } from './ports.js';
import { isGraphics, negated, usageOf } from './usage.js';

/** Longer than any removal of a folder takes. */
const REMOVING_MS = 60_000;

export interface ListRequest extends Omit<FileQuery, 'scope'> {
  /** The call's `nsfilter`. */
  context: string;
  /** All of the caller's by default. */
  namespaces?: string[];
}

interface NewName {
  name: string;
  tags?: string[];
}

/** Looks at a file as it is when it is written to. Throws what keeps it as it is. */
type Inspect = (file: StoredFile) => void;

export type Files = ReturnType<typeof createFiles>;

/** Folders and files, apart from how content gets into them. */
export function createFiles({
  store,
  placements,
  newId,
}: {
  store: FileStore;
  placements: Placements;
  newId: () => string;
}) {
  return {
    find: (id: string) => store.find(id),

    /** @throws 400 when the name is taken */
    async createFolder(folder: Place & { tags: string[] }, context: string, access: Access): Promise<StoredFile> {
      const placement = await placements.decide(folder, 'dir', context, access);
      const author = access.principal;
      const created = newFile(newId(), placement, 'dir', { status: 'CREATED', tags: folder.tags, author });
      await ownNew(access, created);
      await store.create({ file: created, usage: [] });
      await placements.confirm(created);
      return created;
    },

    /** The files that match, as far as the caller may read them. @throws 400 for a bad pattern */
    async list({ context, namespaces, ...query }: ListRequest, paging: Paging, access: Access) {
      if (query.name !== undefined) assertPattern(query.name);
      if (!(await maySee(access, context))) return { list: [], total: 0 };
      return store.list({ ...query, scope: await access.scope('READ', FILE_TYPE, namespaces) }, paging);
    },

    /** Renames a file or folder and replaces its tags where some are given. @throws 400 when the name is taken */
    async update(id: string, change: NewName, access: Access, inspect: Inspect): Promise<StoredFile> {
      const decide = (file: StoredFile, versions: Parameters<typeof usageOf>[1]): FileChange => {
        inspect(file);
        const tags = change.tags ?? file._tags;
        const renamed: StoredFile = {
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
      const updated = await store.change(id, decide, { withVersions: change.tags !== undefined });
      if (!updated) throw errors.fileNotFound();
      return updated;
    },

    /** Removes a file with all its versions, or a folder. @throws 409 when the folder is not empty */
    async remove({ _id, _type }: StoredFile, inspect: Inspect): Promise<void> {
      if (_type !== 'dir') return store.remove(_id, inspect);
      await closeEmptyFolder(store, _id);
      try {
        await store.remove(_id, inspect);
      } catch (error) {
        await store.setRemoving(_id, undefined);
        throw error;
      }
    },
  };
}

/**
 * First the folder takes in nothing new, then it is looked into. What is put into it meanwhile either is seen here, or sees
 * the mark after its own write and takes itself back (`Placements.confirm`): nothing stays in a folder that is gone.
 */
async function closeEmptyFolder(store: FileStore, id: string): Promise<void> {
  await store.setRemoving(id, Date.now() + REMOVING_MS);
  if (!(await store.hasChildren(id))) return;
  await store.setRemoving(id, undefined);
  throw errors.folderNotEmpty();
}

const placeOf = ({ _namespaces, _parents }: StoredFile, name: string): Place => ({
  name,
  namespaces: _namespaces,
  parents: _parents,
});
