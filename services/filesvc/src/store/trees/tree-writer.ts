import { lockParents, oneOf } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { File } from '../../domain/files/file.js';
import { withAncestors } from '../../domain/trees/tree.js';
import { fileModel } from '../files/file.model.js';

/** Later than any removal. */
const FOR_EVER = Number.MAX_SAFE_INTEGER;

export const foldersIn = (files: File[]): string[] =>
  files.filter(({ _type }) => _type === 'dir').map(({ _id }) => _id);

/** Writes of places in the tree of folders, as parts of a transaction. */
export function treeWriter(mongo: Mongo) {
  const files = mongo.model(fileModel);
  // Only callers that see a change get another revision, which writes of the model always raise.
  const collection = mongo.db.collection<File>(fileModel.collection);

  async function find(ids: string[], session: ClientSession): Promise<File[]> {
    if (ids.length === 0) return [];
    return files
      .find({ _id: oneOf(ids) })
      .session(session)
      .lean();
  }

  /** Names that somebody else has in the new place stay those of the old one, where nobody can take them any more. */
  async function withFreeNames(moved: File[], before: Map<string, File>, session: ClientSession): Promise<File[]> {
    const wanted = moved.flatMap(({ internal }) => internal.nameKeys);
    const holders = await files
      .find({ 'internal.nameKeys': oneOf(wanted) }, { 'internal.nameKeys': 1 })
      .session(session)
      .lean<Pick<File, '_id' | 'internal'>[]>();
    const taken = new Map(holders.flatMap(({ _id, internal }) => internal.nameKeys.map((key) => [key, _id])));
    return moved.map((file) => {
      const { nameKeys } = file.internal;
      const isFree = nameKeys.every((key) => (taken.get(key) ?? file._id) === file._id);
      for (const key of isFree ? nameKeys : []) taken.set(key, file._id);
      return isFree
        ? file
        : { ...file, internal: { ...file.internal, nameKeys: before.get(file._id)!.internal.nameKeys } };
    });
  }

  return {
    /** From now on nothing new gets into the folders, and they are locked in this transaction. */
    async close(ids: string[], session: ClientSession): Promise<void> {
      if (ids.length === 0) return;
      await lockParents(mongo, ids, session);
      await collection.updateMany({ _id: { $in: ids } }, { $set: { 'internal.removingUntil': FOR_EVER } }, { session });
    },

    /**
     * Writes new parents of files, and the folders above them.
     * @param before the files as they are stored
     * @param moved further folders above them, as they will be stored
     */
    async place(placed: File[], before: File[], session: ClientSession, moved: File[] = []): Promise<void> {
      if (placed.length === 0) return;
      const known = new Set([...placed, ...moved].map(({ _id }) => _id));
      const others = placed.flatMap(({ _parents }) => _parents).filter((id) => !known.has(id));
      const outside = [...moved, ...(await find([...new Set(others)], session))];
      const stored = new Map(before.map((file) => [file._id, file]));
      const isMoved = ({ _id, _parents }: File) => _parents.length !== stored.get(_id)!._parents.length;
      const complete = withAncestors(placed, outside);
      const taken = await withFreeNames(complete.filter(isMoved), stored, session);
      const writes = [
        ...taken.map((file) => ({
          replaceOne: { filter: { _id: file._id }, replacement: { ...file, _revision: file._revision + 1 } },
        })),
        ...complete
          .filter((file) => !isMoved(file))
          .map(({ _id, internal: { ancestors } }) => ({
            updateOne: { filter: { _id }, update: { $set: { 'internal.ancestors': ancestors } } },
          })),
      ];
      await collection.bulkWrite(writes, { session });
    },
  };
}
