import type { AsyncTask, Author, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { requireOwnTask } from '@dtplatform/permissions';
import type { Access, Scope } from '@dtplatform/permissions';
import { homeOfFile, requireDeletion, requireFile, scopeBelow } from '../files/file-access.js';
import type { File } from '../files/file.js';
import type { FileStore } from '../files/files.store.js';
import { ancestorsBelow, movedTo } from '../files/placement.js';
import type { TreeStore } from './trees.store.js';

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
export interface RemovalTask {
  task: AsyncTask;
  createdById: string;
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

export type Trees = ReturnType<typeof createTrees>;

interface Deps {
  fileStore: Pick<FileStore, 'findMany'>;
  treeStore: TreeStore;
}

/** Removal of files, and of folders with all below them (docs/contract.md, "Deleting files and folders"). */
export function createTrees({ fileStore, treeStore }: Deps) {
  /**
   * Removes files and folders that the caller may delete, with all below them, or nothing.
   * @returns the id of a task when there are too many; undefined when they are gone
   * @param context the `nsfilter` of the call
   * @throws 400 for a folder that cannot leave a namespace yet, 404 when one is gone, 403 as `requireDeletion`, also for something
   * below, 412
   */
  async function remove(
    files: File[],
    { context, access, precondition }: { context: string; access: Access; precondition?: Precondition },
  ): Promise<string | undefined> {
    const [gone, leaving]: [File[], string[]] = [[], []];
    for (const file of files) {
      if (await requireDeletion(access, file, context)) leaving.push(file._id);
      else gone.push(file);
    }
    const removal = {
      ids: gone.map(({ _id }) => _id),
      scope: await scopeBelow(access, 'DELETE', gone),
      homes: gone.map((file) => ({ id: file._id, home: homeOfFile(file) })),
      leaving: { ids: leaving, namespace: context },
      by: access.principal,
      precondition,
    };
    const outcome = await treeStore.remove(removal);
    if (outcome === 'removed') return undefined;
    const taskId = outcome && (await treeStore.acceptRemoval(removal));
    if (taskId === undefined) throw commonErrors.notFound();
    return taskId;
  }

  return {
    remove,

    /** @param context the `nsfilter` of the call @throws 404 when one is missing or hidden, 403; as `remove` */
    async removeMany(ids: string[], context: string, access: Access): Promise<string | undefined> {
      const unique = [...new Set(ids)];
      const found = new Map((await fileStore.findMany(unique)).map((file) => [file._id, file]));
      // What is hidden is reported before what may not be deleted.
      for (const action of ['READ', 'DELETE'] as const) {
        for (const id of unique) await requireFile(access, action, found.get(id), context);
      }
      return remove([...found.values()], { context, access });
    },

    /** The task of a removal. @throws 404 unless the caller may see it (`requireOwnTask`) */
    getTask: async (id: string, access: Access): Promise<AsyncTask> =>
      requireOwnTask(await treeStore.findTask(id), access),
  };
}
