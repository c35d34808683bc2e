import type { AsyncTask, Author, Precondition } from '@dtplatform/contracts';
import type { Scope } from '@dtplatform/permissions';
import type { File } from '../files/file.js';
import type { FileChange, MoveLimit } from '../files/ports.js';

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
