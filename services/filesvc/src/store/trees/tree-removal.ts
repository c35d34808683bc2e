import { lockParents, oneOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { File } from '../../domain/files/file.js';
import type { TreeRemoval } from '../../domain/trees/ports.js';
import { takenOut } from '../../domain/trees/tree.js';
import type { Announcements } from '../announcements.js';
import { fileModel } from '../files/file.model.js';
import { fileRemover } from '../files/file-remover.js';
import { foldersIn, treeWriter } from './tree-writer.js';

const BATCH = 100;

/**
 * Removes folders of any size, from the bottom up. Each step is a transaction, and finds in the database what is left. A
 * folder is closed before it is emptied, and removed once nothing is below it.
 */
export function createTreeRemoval(mongo: Mongo, announcements: Announcements): TreeRemoval {
  const files = mongo.model(fileModel);
  const trees = treeWriter(mongo);
  const remover = fileRemover(mongo, announcements);

  async function stepIn(folder: File): Promise<number> {
    const children = await files.find({ _parents: folder._id }).sort({ _id: 1 }).limit(BATCH).lean();
    const [first] = children;
    if (!first) return (await freshenOne(folder._id)) ? 0 : removeEmpty(folder._id);
    if (folder.internal.removingUntil === undefined || folder.internal.removingUntil < Date.now()) {
      await mongo.transaction((session) => trees.close([folder._id], session));
    }
    const clearable = children.filter(({ _type, _parents }) => _type === 'file' || _parents.length > 1);
    return clearable.length > 0 ? clear(folder._id, clearable) : stepIn(first);
  }

  /** Removes files that are only in this folder, and takes out what also lies in another one. */
  const clear = (folderId: string, children: File[]): Promise<number> =>
    mongo.transaction(async (session) => {
      const isIn = { _id: oneOf(children.map(({ _id }) => _id)), _parents: folderId };
      const found = await files.find(isIn).session(session).lean();
      const [only, shared] = partition(found, ({ _parents }) => _parents.length === 1);
      await lockParents(mongo, foldersIn(shared), session);
      const removed = await remover.removeSome(
        only.filter(({ _type }) => _type === 'file'),
        session,
      );
      const folders = new Set([folderId]);
      await trees.place(
        shared.map((file) => takenOut(file, folders)),
        shared,
        session,
      );
      return removed;
    });

  /**
   * Finds the folders again that are above something which is no longer below this one, beginning at the top.
   * @returns false when there is nothing left
   */
  async function freshenOne(folderId: string): Promise<boolean> {
    const found = await files.findOne({ 'internal.ancestors': folderId }).lean();
    if (!found) return false;
    const { _id } = await highest(found, folderId);
    await mongo.transaction(async (session) => {
      const file = await files.findById(_id).session(session).lean();
      if (!file) return;
      await lockParents(mongo, foldersIn([file]), session);
      await trees.place([file], [file], session);
    });
    return true;
  }

  async function highest(file: File, folderId: string): Promise<File> {
    const isStale = { _id: oneOf(file._parents), 'internal.ancestors': folderId };
    const above = await files.findOne(isStale).lean();
    return above ? highest(above, folderId) : file;
  }

  const removeEmpty = (folderId: string): Promise<number> =>
    mongo.transaction(async (session) => {
      const folder = await files.findById(folderId).session(session).lean();
      if (!folder) return 0;
      await lockParents(mongo, [folderId], session);
      const isAbove = { $or: [{ _parents: folderId }, { 'internal.ancestors': folderId }] };
      if (await files.exists(isAbove).session(session)) return 0;
      await remover.removeAll([folder], session);
      return 1;
    });

  return {
    async step(id) {
      const root = await files.findById(id).lean();
      if (!root) return undefined;
      if (root._type === 'dir') return stepIn(root);
      return mongo.transaction(async (session) => {
        const file = await files.findById(id).session(session).lean();
        return file ? remover.removeSome([file], session) : 0;
      });
    },
  };
}

function partition<T>(all: T[], test: (one: T) => boolean): [T[], T[]] {
  return [all.filter(test), all.filter((one) => !test(one))];
}
