import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { irnOf } from './file.js';
import type { File, StoredFile } from './file.js';
import { maySee, mayOn, requireCreate } from './file-access.js';
import { createdBy } from './metadata.js';
import type { Author } from './metadata.js';
import { nameKeys } from './name-keys.js';
import type { Place } from './name-keys.js';
import type { FileStore } from './ports.js';

/** Keeps the permission decision of every file below a folder small. */
const MAX_ANCESTORS = 64;

/** Where something new goes, found out and permitted. */
export interface Placement extends Place {
  ancestors: string[];
  nameKeys: string[];
  /** The file that has this name already; what comes is a new version of it. */
  existing?: StoredFile;
}

export interface Placements {
  /**
   * Finds out where something of that name goes.
   * @param context the call's `nsfilter`
   * @throws 400 for a bad place, 403 when the caller may not create there or change what is there
   */
  decide(place: Place, type: 'file' | 'dir', context: string, access: Access): Promise<Placement>;
  /** Takes a new file back when a folder that it was put into was removed meanwhile. @throws 400 then */
  confirm(file: StoredFile): Promise<void>;
}

export function createPlacements({ store }: { store: FileStore }): Placements {
  async function foldersOf({ parents, namespaces }: Place, access: Access): Promise<StoredFile[]> {
    const folders = await store.findMany(parents);
    for (const folder of folders) {
      const isUsable = isOpenFolder(folder) && namespaces.every((namespace) => folder._namespaces.includes(namespace));
      if (!isUsable || !(await mayOn(access, 'READ', folder))) throw errors.unknownParent();
    }
    if (folders.length !== parents.length) throw errors.unknownParent();
    return folders;
  }

  return {
    async decide(place, type, context, access) {
      if (!place.namespaces.includes(context)) throw errors.namespaceMismatch();
      for (const namespace of place.namespaces) {
        if (!(await maySee(access, namespace))) throw commonErrors.forbidden();
      }
      const folders = await foldersOf(place, access);
      const ancestors = [...new Set(folders.flatMap(({ _id, internal }) => [_id, ...internal.ancestors]))];
      if (ancestors.length > MAX_ANCESTORS) throw errors.tooDeep();

      const keys = nameKeys(place, type);
      const existing = await sameName(store, keys, type);
      if (!existing) await requireCreate(access, folders, place.namespaces);
      else if (!(await mayOn(access, 'EDIT', existing))) throw commonErrors.forbidden();
      return { ...place, ancestors, nameKeys: keys, existing };
    },

    async confirm(file) {
      if (file._parents.length === 0) return;
      const folders = await store.findMany(file._parents);
      if (folders.filter(isOpenFolder).length === file._parents.length) return;
      await store.remove(file._id);
      throw errors.unknownParent();
    },
  };
}

const isOpenFolder = ({ _type, internal }: StoredFile) =>
  _type === 'dir' && (internal.removingUntil === undefined || internal.removingUntil < Date.now());

/** @throws 400 when the name is taken by something that cannot have a version of this */
async function sameName(store: FileStore, keys: string[], type: 'file' | 'dir'): Promise<StoredFile | undefined> {
  const [found, ...others] = await store.findByNameKeys(keys);
  if (!found) return undefined;
  const isSamePlace = others.length === 0 && keys.every((key) => found.internal.nameKeys.includes(key));
  if (type === 'dir' || found._type === 'dir' || !isSamePlace) throw errors.nameTaken();
  return found;
}

/** What goes there for the first time, as it is before anything was uploaded. */
export function newFile(
  id: string,
  { name, namespaces, parents, ancestors, nameKeys: keys }: Placement,
  type: 'file' | 'dir',
  details: { status: File['_status']; tags: string[]; author: Author },
): StoredFile {
  return {
    _id: id,
    _name: name,
    _type: type,
    _irn: irnOf(id),
    _status: details.status,
    _namespaces: namespaces,
    _parents: parents,
    _tags: details.tags,
    ...(type === 'file' ? { _nextVersion: 1 } : {}),
    _previews: [],
    _metadata: createdBy(details.author),
    internal: { nameKeys: keys, ancestors, rootOf: parents.length === 0 ? namespaces : [] },
  };
}
