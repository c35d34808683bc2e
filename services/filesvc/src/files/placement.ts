import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { createdBy, touchedBy } from '@dtplatform/contracts';
import type { Action, Author } from '@dtplatform/contracts';
import { homeOf } from '@dtplatform/permissions';
import type { Access, Scope } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { mayOn, maySee, requireCreate, scopeBelow } from './file-access.js';
import { FILE_TYPE, irnOf } from './file.js';
import type { File } from './file.js';
import type { FileStore } from './files.store.js';

/** Bounds the cost of permission decisions, which check every ancestor. */
const MAX_ANCESTORS = 64;

export interface Place {
  name: string;
  namespaces: string[];
  /** Ids of folders; empty at the root. */
  parents: string[];
}

export interface Placement extends Place {
  /** The `nsfilter` of the call; the home of a new file. */
  home: string;
  ancestors: string[];
  nameKeys: string[];
  /** The file with this name; the content becomes its new version. */
  existing?: File;
}

/** Files below a moved folder that are in one of the namespaces must be in the scope. */
export interface MoveLimit {
  namespaces: string[];
  scope: Scope;
}

interface NewPlace extends Pick<Placement, 'parents' | 'ancestors'> {
  limits: MoveLimit[];
}

export function createPlacements({ fileStore }: { fileStore: FileStore }) {
  /**
   * @param folders the existing parents
   * @throws 400
   */
  async function requireFolders(folders: File[], { parents, namespaces }: Omit<Place, 'name'>, access: Access) {
    for (const folder of folders) {
      const isUsable = isOpenFolder(folder) && namespaces.every((namespace) => folder._namespaces.includes(namespace));
      if (!isUsable || !(await mayOn(access, 'READ', folder))) throw errors.unknownParent();
    }
    if (folders.length !== parents.length) throw errors.unknownParent();
  }

  return {
    /**
     * @param context the `nsfilter` of the call
     * @throws 400 for a bad place, 403 when the caller may not create files there or edit the existing file
     */
    async decide(place: Place, type: 'file' | 'dir', context: string, access: Access): Promise<Placement> {
      if (!place.namespaces.includes(context)) throw errors.namespaceMismatch();
      for (const namespace of place.namespaces) {
        if (!(await maySee(access, namespace))) throw await access.refusal('CREATE', `${FILE_TYPE}:*`, [namespace]);
      }
      const keys = nameKeys(place, type);
      const { folders, holders } = await fileStore.findPlace(place.parents, keys);
      await requireFolders(folders, place, access);
      const ancestors = ancestorsBelow(folders);
      const existing = sameName(holders, keys, type);
      if (!existing) await requireCreate(access, folders, place.namespaces);
      else if (!(await mayOn(access, 'EDIT', existing)))
        throw await access.refusal('EDIT', existing._irn, existing._namespaces);
      return { ...place, home: context, ancestors, nameKeys: keys, existing };
    },

    /**
     * The caller needs CREATE in the folders entered, DELETE if any are left, and every permission that the new folders
     * would give on the moved file.
     * @throws 400 for a bad place, 403
     */
    async decideMove(file: File, parents: string[], access: Access): Promise<NewPlace> {
      const { _id, _namespaces: namespaces, _parents } = file;
      const added = parents.filter((parent) => !_parents.includes(parent));
      const entered = await fileStore.findMany(added);
      await requireFolders(entered, { parents: added, namespaces }, access);
      const folders = [...entered, ...(await fileStore.findMany(parents.filter((parent) => !added.includes(parent))))];
      if (folders.some((folder) => lineageOf(folder).includes(_id))) throw errors.folderCycle();
      if (entered.length > 0 || parents.length === 0) await requireCreate(access, entered, namespaces);
      const limits = await limitsOfMove(file, parents, entered, access);
      return { parents, ancestors: ancestorsBelow(folders), limits };
    },
  };
}

export type Placements = ReturnType<typeof createPlacements>;

/** The permissions that a folder gives on its content. */
const ACTIONS_ON = {
  file: ['READ', 'EDIT', 'DELETE', 'SHARE'],
  dir: ['READ', 'CREATE', 'EDIT', 'DELETE', 'SHARE'],
} as const satisfies Record<File['_type'], Action[]>;

/**
 * Leaving a folder hides the file from its readers, like a deletion. Nobody may gain a permission by moving a file into
 * a folder of their own, since permissions on a folder cover everything below.
 * @throws 403 when the caller lacks a permission on the file
 */
async function limitsOfMove(file: File, parents: string[], entered: File[], access: Access): Promise<MoveLimit[]> {
  const { _type, _namespaces, _parents } = file;
  const leaves = _parents.length === 0 || !_parents.every((parent) => parents.includes(parent));
  const limits: MoveLimit[] = [];
  const limit = async (action: Action, namespaces: string[]) => {
    const there = { ...file, _namespaces: namespaces };
    if (!(await mayOn(access, action, there))) throw await access.refusal(action, file._irn, namespaces);
    if (_type === 'file') return; // Nothing is below it.
    limits.push({ namespaces, scope: await scopeBelow(access, action, [there], namespaces) });
  };
  if (leaves) await limit('DELETE', _namespaces);
  for (const action of ACTIONS_ON[_type]) {
    for (const namespace of await permittedIn(access, action, entered, _namespaces)) await limit(action, [namespace]);
  }
  return limits;
}

async function permittedIn(access: Access, action: Action, folders: File[], namespaces: string[]): Promise<string[]> {
  const permitted = await Promise.all(
    namespaces.map((namespace) =>
      Promise.all(folders.map((folder) => mayOn(access, action, { ...folder, _namespaces: [namespace] }))),
    ),
  );
  return namespaces.filter((_namespace, place) => permitted[place]!.includes(true));
}

/** Whether it accepts files. A folder that is removed step by step is closed first. */
export const isOpenFolder = ({ _type, internal }: Pick<File, '_type' | 'internal'>): boolean =>
  _type === 'dir' && (internal.removingUntil === undefined || internal.removingUntil < Date.now());

/** @throws 400 when the holder of the name cannot get a new version this way */
function sameName([found, ...others]: File[], keys: string[], type: 'file' | 'dir'): File | undefined {
  if (!found) return undefined;
  const isSamePlace = others.length === 0 && keys.every((key) => found.internal.nameKeys.includes(key));
  if (type === 'dir' || found._type === 'dir' || !isSamePlace) throw errors.nameTaken();
  return found;
}

export const isInSamePlace = (one: File, other: File): boolean =>
  isDeepStrictEqual(
    [one.internal.nameKeys, one.internal.ancestors],
    [other.internal.nameKeys, other.internal.ancestors],
  );

const lineageOf = ({ _id, internal }: Pick<File, '_id' | 'internal'>) => [_id, ...internal.ancestors];

/**
 * The ancestors of files in these folders.
 * @throws 400 when there are too many
 */
export function ancestorsBelow(folders: Pick<File, '_id' | 'internal'>[]): string[] {
  const ancestors = [...new Set(folders.flatMap(lineageOf))];
  if (ancestors.length > MAX_ANCESTORS)
    throw errors.tooDeep({ message: `The folder is nested more than ${MAX_ANCESTORS} levels deep.` });
  return ancestors;
}

export function movedTo(file: File, { parents, ancestors }: Pick<Placement, 'parents' | 'ancestors'>): File {
  const { _name: name, _namespaces: namespaces, _type, internal } = file;
  const keys = nameKeys({ name, namespaces, parents }, _type);
  const rootOf = parents.length === 0 ? namespaces : [];
  return { ...file, _parents: parents, internal: { ...internal, nameKeys: keys, ancestors, rootOf } };
}

export function newFile(
  id: string,
  { name, home, namespaces, parents, ancestors, nameKeys: keys }: Placement,
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
    internal: {
      home,
      name: comparable(name),
      nameKeys: keys,
      ancestors,
      rootOf: parents.length === 0 ? namespaces : [],
    },
  };
}

/** Names and patterns are compared in NFC. */
export const comparable = (name: string): string => name.normalize('NFC');

/**
 * Keys that are unique over all files. A folder occupies its name in each of its parents and namespaces; a file in its
 * set of parents in each namespace, so the same name in the same set of parents is a new version. With a single parent
 * the keys coincide: a file and a folder cannot share a name there.
 */
export function nameKeys({ name, namespaces, parents }: Place, type: 'file' | 'dir'): string[] {
  const sets = type === 'dir' && parents.length > 0 ? parents.map((parent) => [parent]) : [[...parents].sort()];
  return namespaces.flatMap((namespace) => sets.map((set) => keyOf(namespace, set, name)));
}

const keyOf = (namespace: string, parents: string[], name: string) =>
  createHash('sha256')
    .update(JSON.stringify([namespace, parents, comparable(name)]))
    .digest('base64url');

/** Undefined when no namespace is left. Frees the name in the others. */
export function leaveNamespaces(file: File, left: readonly string[], by: Author): File | undefined {
  const namespaces = file._namespaces.filter((namespace) => !left.includes(namespace));
  if (namespaces.length === 0) return undefined;
  const { _name: name, _parents: parents, _type, _metadata, internal } = file;
  return {
    ...file,
    _namespaces: namespaces,
    _metadata: touchedBy(by, _metadata),
    internal: {
      ...internal,
      home: homeOf({ _namespaces: namespaces, _home: internal.home }),
      nameKeys: nameKeys({ name, namespaces, parents }, _type),
      rootOf: parents.length === 0 ? namespaces : [],
    },
  };
}
