import type { AsyncTask, Author, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { requireOwnTask } from '@dtplatform/permissions';
import type { Access, Scope } from '@dtplatform/permissions';
import { homeOfFile, requireDeletion, requireFile, scopeBelow } from '../files/file-access.js';
import type { File } from '../files/file.js';
import type { FileStore } from '../files/files.store.js';
import { ancestorsBelow, movedTo } from '../files/placement.js';
import type { TreeStore } from './trees.store.js';

/** Files and folders that one transaction removes or moves. */
export const MAX_AT_ONCE = 1000;
/** Folders among them: each costs 32 writes (`lockParents` of libs/mongo). */
export const MAX_FOLDERS_AT_ONCE = 250;
/** Versions that one transaction removes. */
export const MAX_VERSIONS_AT_ONCE = 2000;

export interface Removal {
  /** Files and folders, with everything below. */
  ids: string[];
  /** Everything below must be in this scope, by its own home or that of the folder. */
  scope: Scope;
  homes: { id: string; home: string }[];
  /** Files and folders that only leave a namespace. */
  leaving: { ids: string[]; namespace: string };
  by: Author;
  precondition?: Precondition;
}

export interface RemovalTask {
  task: AsyncTask;
  createdById: string;
}

type Folder = Pick<File, '_id' | 'internal'>;

/**
 * Recomputes ancestors from parents.
 * @param files may be above each other
 * @param outside all parents that are not among them
 * @throws 400 when a file has too many ancestors
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

export interface Plan {
  removed: File[];
  /** Files that are also elsewhere, directly or through an ancestor. Their removed parents are dropped. */
  kept: File[];
}

/**
 * @param ids removed in any case
 * @param below everything below
 */
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

/** Drops parents without recomputing ancestors. */
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

/** docs/contract.md, "Deleting files and folders". */
export function createTrees({ fileStore, treeStore }: Deps) {
  /**
   * Removes files and folders with everything below, or nothing.
   * @param context the `nsfilter` of the call
   * @returns the id of a task when there are too many; undefined when they are gone
   * @throws 400 for a folder that cannot leave a namespace yet, 404 when one is gone, 403 as `requireDeletion`, also
   * for something below, 412
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

    /**
     * @param context the `nsfilter` of the call
     * @throws 404 when one is missing or hidden, 403; as `remove`
     */
    async removeMany(ids: string[], context: string, access: Access): Promise<string | undefined> {
      const unique = [...new Set(ids)];
      const found = new Map((await fileStore.findMany(unique)).map((file) => [file._id, file]));
      // A hidden file takes precedence over a forbidden one.
      for (const action of ['READ', 'DELETE'] as const) {
        for (const id of unique) await requireFile(access, action, found.get(id), context);
      }
      return remove([...found.values()], { context, access });
    },

    /** @throws 404 unless the caller may see it (`requireOwnTask`) */
    getTask: async (id: string, access: Access): Promise<AsyncTask> =>
      requireOwnTask(await treeStore.findTask(id), access),
  };
}
