import { createHash } from 'node:crypto';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { createdBy } from '@dtplatform/resource';
import type { Author } from '@dtplatform/resource';
import { errors } from '../../errors.js';
import { irnOf } from './file.js';
import type { File } from './file.js';
import { maySee, mayOn, requireCreate } from './file-access.js';
import type { FileStore } from './ports.js';

/** Bounds the cost of a permission decision, which looks at every folder above a file. */
const MAX_ANCESTORS = 64;

/** Where a name is or would be. */
export interface Place {
  name: string;
  namespaces: string[];
  /** Ids of folders; empty at the root. */
  parents: string[];
}

/** A place that exists and where the caller may write. */
export interface Placement extends Place {
  ancestors: string[];
  nameKeys: string[];
  /** The file that has this name already: the content becomes a new version of it. */
  existing?: File;
}

export interface Placements {
  /**
   * Resolves a place and checks the caller's permission.
   * @param context the `nsfilter` of the call
   * @throws 400 for a bad place, 403 when the caller may not create files there or edit the existing file
   */
  decide(place: Place, type: 'file' | 'dir', context: string, access: Access): Promise<Placement>;
}

export function createPlacements({ fileStore }: { fileStore: FileStore }): Placements {
  async function foldersOf({ parents, namespaces }: Place, access: Access): Promise<File[]> {
    const folders = await fileStore.findMany(parents);
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
      const existing = await sameName(fileStore, keys, type);
      if (!existing) await requireCreate(access, folders, place.namespaces);
      else if (!(await mayOn(access, 'EDIT', existing))) throw commonErrors.forbidden();
      return { ...place, ancestors, nameKeys: keys, existing };
    },
  };
}

/** Whether files may be put into it. Processes of the previous version mark a folder before they remove it. */
export const isOpenFolder = ({ _type, internal }: Pick<File, '_type' | 'internal'>): boolean =>
  _type === 'dir' && (internal.removingUntil === undefined || internal.removingUntil < Date.now());

/** @throws 400 when the name belongs to something that cannot get a new version this way */
async function sameName(fileStore: FileStore, keys: string[], type: 'file' | 'dir'): Promise<File | undefined> {
  const [found, ...others] = await fileStore.findByNameKeys(keys);
  if (!found) return undefined;
  const isSamePlace = others.length === 0 && keys.every((key) => found.internal.nameKeys.includes(key));
  if (type === 'dir' || found._type === 'dir' || !isSamePlace) throw errors.nameTaken();
  return found;
}

/** A new file or folder, before anything is uploaded. */
export function newFile(
  id: string,
  { name, namespaces, parents, ancestors, nameKeys: keys }: Placement,
  type: 'file' | 'dir',
  details: { status: File['_status']; tags: string[]; author: Author },
): File {
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
    _revision: 0,
    internal: { nameKeys: keys, ancestors, rootOf: parents.length === 0 ? namespaces : [] },
  };
}

/**
 * Keys that must be unique over all files. A folder takes its name in each of its parents and namespaces. A file takes it
 * in its set of parents in each namespace, so the same name in the same set of parents is a new version. The keys of both
 * coincide for a single parent: a file and a folder there cannot share a name.
 */
export function nameKeys({ name, namespaces, parents }: Place, type: 'file' | 'dir'): string[] {
  const sets = type === 'dir' && parents.length > 0 ? parents.map((parent) => [parent]) : [[...parents].sort()];
  return namespaces.flatMap((namespace) => sets.map((set) => keyOf(namespace, set, name)));
}

const keyOf = (namespace: string, parents: string[], name: string) =>
  createHash('sha256')
    .update(JSON.stringify([namespace, parents, name.normalize('NFC')]))
    .digest('base64url');
