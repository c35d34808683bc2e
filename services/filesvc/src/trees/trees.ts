import type { AsyncTask, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { requireOwnTask } from '@dtplatform/permissions';
import type { Access } from '@dtplatform/permissions';
import { homeOfFile, requireDeletion, requireFile, scopeBelow } from '../files/file-access.js';
import type { File } from '../files/file.js';
import type { FileStore } from '../files/files.store.js';
import type { TreeStore } from './trees.store.js';

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
