import { oneOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { NamespaceContents } from '@dtplatform/queue';
import type { File } from '../../domain/files/file.js';
import type { TreeRemoval } from '../../domain/trees/ports.js';
import { createAnnouncements } from '../announcements.js';
import { fileModel } from '../files/file.model.js';
import { fileWriter } from '../files/file-writer.js';

const BATCH = 100;
const PLATFORM = { id: 'platform', name: 'platform' };

type Placed = Pick<File, '_id' | '_namespaces'>;

/** Files and folders in namespaces. What is in other namespaces, too, stays there. */
export function createNamespaceContents(mongo: Mongo, treeRemoval: TreeRemoval): NamespaceContents {
  const files = mongo.model(fileModel);
  const writer = fileWriter(mongo, createAnnouncements(mongo));

  const leave = (id: string, left: string[]) =>
    mongo.transaction(async (session) => {
      const file = await files.findById(id).session(session).lean();
      if (file) await writer.leave(file, left, PLATFORM, session);
    });

  /** What is in a folder is in no other namespaces than the folder, and goes with it. */
  async function removeOne({ _id, _namespaces }: Placed, namespaces: string[]): Promise<void> {
    if (_namespaces.some((namespace) => !namespaces.includes(namespace))) await leave(_id, namespaces);
    else await treeRemoval.step(_id);
  }

  return {
    /** The newest first, because a folder is usually older than what is in it. */
    async removeBatch(namespaces) {
      const placed = await files
        .find({ _namespaces: oneOf(namespaces) }, { _namespaces: 1 })
        .sort({ _id: -1 })
        .limit(BATCH)
        .lean<Placed[]>();
      for (const file of placed) await removeOne(file, namespaces);
      return placed.length > 0;
    },
  };
}
