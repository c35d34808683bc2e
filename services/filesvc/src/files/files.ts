import { RE2JS } from 're2js';
import { matchesPrecondition, touchedBy } from '@dtplatform/contracts';
import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access, Scope } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import type { TreeStore } from '../trees/trees.store.js';
import { maySee, ownNew, requireFile } from './file-access.js';
import type { FileChange } from './file-change.js';
import { FILE_TYPE } from './file.js';
import type { File } from './file.js';
import type { FileStore } from './files.store.js';
import { comparable, movedTo, nameKeys, newFile } from './placement.js';
import type { Place, Placements } from './placement.js';
import { changeOfKind } from './usage.js';

export interface FileQuery {
  scope: Scope;
  /** Files must be in all of these folders; `root` for files in none. */
  parents?: string[];
  ids?: string[];
  /** RE2. */
  name?: string;
  tags?: string[];
  status?: File['_status'];
}

export interface ListRequest extends Omit<FileQuery, 'scope'> {
  /** The `nsfilter` of the call. */
  context: string;
  /** By default all namespaces of the caller. */
  namespaces?: string[];
}

interface Change {
  name: string;
  tags?: string[];
  parents?: string[];
}

export type Files = ReturnType<typeof createFiles>;

interface Deps {
  fileStore: FileStore;
  treeStore: Pick<TreeStore, 'move'>;
  placements: Placements;
  newId: () => string;
}

export function createFiles({ fileStore, treeStore, placements, newId }: Deps) {
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

    /** @throws 400 for a bad pattern */
    async list({ context, namespaces, ...query }: ListRequest, paging: Paging, access: Access): Promise<Listing<File>> {
      if (query.name !== undefined) assertPattern(query.name);
      if (!(await maySee(access, context))) return { list: [], total: 0 };
      return fileStore.list({ ...query, scope: await access.scope('READ', FILE_TYPE, namespaces) }, paging);
    },

    /**
     * Renames a file or folder, replaces its tags if given, and moves it with everything below if folders are given.
     * @throws 400 when the name is taken, for a bad place, or too much below; 403 without CREATE in the new place,
     * DELETE in the old one, or a permission that the new place would give; 409 when it or a folder above was moved
     * concurrently
     */
    async update(found: File, change: Change, access: Access, precondition: Precondition): Promise<File> {
      const isMove = change.parents !== undefined && !isSameSet(change.parents, found._parents);
      const place = isMove ? await placements.decideMove(found, change.parents!, access) : undefined;
      const decide = (file: File): FileChange => {
        if (!matchesPrecondition(file, precondition)) throw commonErrors.preconditionFailed();
        // Permission was decided for the folders that it was in.
        if (place && !isSameSet(file._parents, found._parents)) throw errors.folderMoved();
        const tags = change.tags ?? file._tags;
        const renamed: File = {
          ...file,
          _name: change.name,
          _tags: tags,
          _metadata: touchedBy(access.principal, file._metadata),
          internal: {
            ...file.internal,
            name: comparable(change.name),
            nameKeys: nameKeys(placeOf(file, change.name), file._type),
          },
        };
        const changed = place ? movedTo(renamed, place) : renamed;
        const isCounted = file._tipId !== undefined;
        return { file: changed, usage: [], ...(isCounted && changeOfKind(file, changed)) };
      };
      const updated = place
        ? await treeStore.move(found._id, decide, place.limits)
        : await fileStore.change(found._id, decide);
      if (!updated) throw errors.fileNotFound();
      return updated;
    },
  };
}

const isSameSet = (one: string[], other: string[]) =>
  one.length === other.length && one.every((entry) => other.includes(entry));

const placeOf = ({ _namespaces, _parents }: File, name: string): Place => ({
  name,
  namespaces: _namespaces,
  parents: _parents,
});

/**
 * Accepts RE2 only: back-references and look-around can take exponential time.
 * @throws 400
 */
function assertPattern(pattern: string): void {
  if (pattern.includes('\0')) throw errors.invalidPattern();
  try {
    RE2JS.compile(pattern);
  } catch (error) {
    throw errors.invalidPattern({ cause: error });
  }
}
