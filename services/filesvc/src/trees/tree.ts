import type { AsyncTask, Author, Precondition } from '@dtplatform/contracts';
import type { Scope } from '@dtplatform/permissions';
import type { FileChange, MoveLimit } from '../files/file-change.js';
import type { File } from '../files/file.js';
import { ancestorsBelow, movedTo } from '../files/placement.js';

/** The most files and folders below a folder that one transaction removes or moves. */
export const MAX_AT_ONCE = 1000;
/** The most folders among them: each costs 32 writes (`lockParents` of libs/mongo). */
export const MAX_FOLDERS_AT_ONCE = 250;
/** The most versions of files that one transaction removes. */
export const MAX_VERSIONS_AT_ONCE = 2000;

/** What is to be removed, and what must hold for that. */
export interface Removal {
  /** Ids of files and folders. Everything below them is removed as well. */
  ids: string[];
  /** Everything below must be in this scope, by its home, or in the home of the folder. */
  scope: Scope;
  homes: { id: string; home: string }[];
  /** What only leaves a namespace. */
  leaving: { ids: string[]; namespace: string };
  by: Author;
  /** Of the only file or folder. */
  precondition?: Precondition;
}

/** An accepted removal. */
interface RemovalTask {
  task: AsyncTask;
  createdById: string;
}

/** Files and folders with all that is below them. */
export interface TreeStore {
  /**
   * Removes at once; what also lies in another folder is only taken out of those that are removed.
   * A folder leaves a namespace only when nothing below it is in that.
   * @returns `too-large` when more than `MAX_AT_ONCE`, or `MAX_FOLDERS_AT_ONCE`, are below, or all of them have more than
   * `MAX_VERSIONS_AT_ONCE`; undefined when one no longer exists
   * @throws 400 when something is below a folder that would leave a namespace, 403 when something below is outside of the
   * scope, 412
   */
  remove(removal: Removal): Promise<'removed' | 'too-large' | undefined>;
  /**
   * Closes the folders, so that nothing new gets into them, and lets the worker remove them step by step.
   * @returns the id of the task; undefined when one no longer exists
   * @throws as `remove`
   */
  acceptRemoval(removal: Removal): Promise<string | undefined>;
  findTask(id: string): Promise<RemovalTask | undefined>;
  /**
   * Replaces a file or folder by what `decide` returns for it, and everything below it follows to its new place.
   * @param limits for everything below
   * @returns undefined when it no longer exists
   * @throws 400 for a name that is taken, a cycle, too much below it, or a folder that no longer exists; 403 when something
   * below is outside of one of the limits; 409 when a folder above it was moved
   */
  move(id: string, decide: (file: File) => FileChange, limits: MoveLimit[]): Promise<File | undefined>;
}

/** What the worker does for an accepted removal. */
export interface TreeRemoval {
  /**
   * One step of bounded size. May be repeated, also at once with another process.
   * @returns how many files and folders were removed; undefined when all are
   */
  step(id: string): Promise<number | undefined>;
}

type Folder = Pick<File, '_id' | 'internal'>;

/**
 * The files with the folders above them found again, from their parents. Some may be above others.
 * @param outside all of their parents that are not among them
 * @throws 400 when too many folders are above one of them
 */
export function withAncestors(files: File[], outside: Folder[]): File[] {
  const waiting = new Map(files.map((file) => [file._id, file]));
  const known = new Map(outside.map((folder) => [folder._id, folder]));

  function place(file: File): File {
    waiting.delete(file._id);
    const folders = file._parents.flatMap((parent) => {
      const above = waiting.get(parent);
      return (above ? place(above) : known.get(parent)) ?? [];
    });
    const placed = { ...file, internal: { ...file.internal, ancestors: ancestorsBelow(folders) } };
    known.set(file._id, placed);
    return placed;
  }

  for (const file of files) if (waiting.has(file._id)) place(file);
  return files.map(({ _id }) => known.get(_id) as File);
}

/** What a removal does to all that is below the folders that it removes. */
export interface Plan {
  removed: File[];
  /** They also lie in other folders, or below something that does. Those that lose a folder are taken out of it. */
  kept: File[];
}

/** @param ids what is removed in any case @param below everything below */
export function planRemoval(ids: string[], below: File[]): Plan {
  const removed = new Set(ids);
  let left = below.filter(({ _id }) => !removed.has(_id));
  for (;;) {
    const doomed = left.filter(({ _parents }) => _parents.every((parent) => removed.has(parent)));
    if (doomed.length === 0) break;
    for (const { _id } of doomed) removed.add(_id);
    left = left.filter(({ _id }) => !removed.has(_id));
  }
  const kept = left.map((file) => takenOut(file, removed));
  return { removed: below.filter(({ _id }) => removed.has(_id)), kept };
}

/** A file without these folders among its parents. The folders above it are as before. */
export function takenOut(file: File, folders: ReadonlySet<string>): File {
  const parents = file._parents.filter((parent) => !folders.has(parent));
  return parents.length === file._parents.length
    ? file
    : movedTo(file, { parents, ancestors: file.internal.ancestors });
}
