import { lockParents, oneOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { NamespaceContents } from '@dtplatform/queue';
import { createDomainEvents } from '../events/domain-events.store.js';
import type { DomainEvents } from '../events/domain-events.store.js';
import { fileWriter } from '../files/file-writer.store.js';
import type { File } from '../files/file.js';
import { fileModel } from '../files/file.model.js';
import { fileRemover, foldersIn, treeWriter } from './tree-writes.store.js';
import { takenOut } from './trees.js';

const BATCH = 100;

/**
 * Removes folders of any size bottom-up. Each step is a transaction that reads from the database what is left. A folder
 * is closed before it is emptied, and removed once it is empty.
 */
export function createTreeRemoval(mongo: Mongo, events: DomainEvents) {
  const files = mongo.model(fileModel);
  const trees = treeWriter(mongo);
  const remover = fileRemover(mongo, events);

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
   * Recomputes the ancestors of something that is no longer below this folder, top-down.
   * @returns false when nothing is left
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
    /**
     * One step of bounded size. May run repeatedly and concurrently.
     * @returns the number of files and folders removed; undefined when all are
     */
    async step(id: string): Promise<number | undefined> {
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

export type TreeRemoval = ReturnType<typeof createTreeRemoval>;

function partition<T>(all: T[], test: (one: T) => boolean): [T[], T[]] {
  return [all.filter(test), all.filter((one) => !test(one))];
}

const FILES_AT_ONCE = 100;
const PLATFORM = { id: 'platform', name: 'platform' };

type Placed = Pick<File, '_id' | '_namespaces'>;

/** Files that are also in other namespaces stay there. */
export function createNamespaceContents(mongo: Mongo, treeRemoval: TreeRemoval): NamespaceContents {
  const files = mongo.model(fileModel);
  const writer = fileWriter(mongo, createDomainEvents(mongo));

  const leave = (id: string, left: string[]) =>
    mongo.transaction(async (session) => {
      const file = await files.findById(id).session(session).lean();
      if (file) await writer.leave(file, left, PLATFORM, session);
    });

  /** The content of a folder is only in the folder's namespaces, and goes with it. */
  async function removeOne({ _id, _namespaces }: Placed, namespaces: string[]): Promise<void> {
    if (_namespaces.some((namespace) => !namespaces.includes(namespace))) await leave(_id, namespaces);
    else await treeRemoval.step(_id);
  }

  return {
    /** Newest first, because a folder is usually older than its content. */
    async removeBatch(namespaces) {
      const placed = await files
        .find({ _namespaces: oneOf(namespaces) }, { _namespaces: 1 })
        .sort({ _id: -1 })
        .limit(FILES_AT_ONCE)
        .lean<Placed[]>();
      for (const file of placed) await removeOne(file, namespaces);
      return placed.length > 0;
    },
  };
}
