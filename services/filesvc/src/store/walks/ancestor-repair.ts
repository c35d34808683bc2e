import { isRefusal } from '@dtplatform/errors';
import { lockParents, touchParents, trusted } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { File } from '../../domain/files/file.js';
import { isMisplaced } from '../../domain/trees/tree.js';
import type { AncestorRepair } from '../../domain/walks/ports.js';
import { fileModel } from '../files/file.model.js';
import { foldersIn, treeWriter } from '../trees/tree-writer.js';

type Place = Pick<File, '_id' | '_parents' | 'internal'>;
const PLACE = { _parents: 1, 'internal.ancestors': 1 };

/** Folders above files in MongoDB. */
export function createAncestorRepairStore(mongo: Mongo): AncestorRepair {
  const files = mongo.model(fileModel);
  const trees = treeWriter(mongo);

  async function misplacedAmong(found: Place[]): Promise<Place[]> {
    const parents = [...new Set(found.flatMap(({ _parents }) => _parents))];
    if (parents.length === 0) return [];
    const folders = await files.find({ _id: trusted({ $in: parents }) }, PLACE).lean<Place[]>();
    const byId = new Map(folders.map((folder) => [folder._id, folder]));
    return found.filter((file) => isMisplaced(file, byId));
  }

  /** @returns false when it is gone, or too many folders are above it */
  const repair = (_id: string): Promise<boolean> =>
    mongo
      .transaction(async (session) => {
        const file = await files.findById(_id).session(session).lean();
        if (!file) return false;
        // A move of a folder above conflicts with this, whether it knows that the file is below it or not.
        if (file._parents.length > 0) await touchParents(mongo, file._parents, session);
        await lockParents(mongo, foldersIn([file]), session);
        await trees.place([file], [file], session);
        return true;
      })
      .catch((error: unknown) => {
        if (isRefusal(error)) return false;
        throw error;
      });

  return {
    async step(after = '', limit) {
      const next = files.find({ _id: trusted({ $gt: after }) }, PLACE).sort({ _id: 1 });
      const found = await next.limit(limit).lean<Place[]>();
      let changed = 0;
      for (const { _id } of await misplacedAmong(found)) if (await repair(_id)) changed += 1;
      return { last: found.at(-1)?._id, changed };
    },
  };
}
