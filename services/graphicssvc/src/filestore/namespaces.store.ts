import { oneOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { NamespaceContents } from '@dtplatform/queue';
import type { FileCache } from './file-cache.store.js';
import type { FileSource } from './files.client.js';
import type { Load } from './load.js';
import { loadModel } from './load.model.js';

const BATCH = 100;

interface Deps {
  mongo: Mongo;
  files: Pick<FileSource, 'namespacesOf'>;
  cache: FileCache;
}

/** A load is in the namespaces of its file, which filesvc knows. Loads that are also in other namespaces stay there. */
export function createLoadContents({ mongo, files, cache }: Deps): NamespaceContents {
  const loads = mongo.model(loadModel);

  /**
   * Ends the load first, so that its process stores nothing afterwards. Removes the document last, so that the content
   * is found again after a crash.
   */
  async function remove(_id: string): Promise<void> {
    const evicted = { $set: { _status: 'EVICTED' as const }, $unset: { '_work.lease.until': 1 as const } };
    const ended = await loads.findOneAndUpdate({ _id }, evicted).lean();
    if (!ended) return;
    await cache.remove(ended);
    await loads.deleteOne({ _id, _status: 'EVICTED' });
  }

  return {
    async removeBatch(namespaces) {
      const requested = { '_work.namespace': oneOf(namespaces) };
      const found = await loads.find(requested).limit(BATCH).lean<Load[]>();
      const known = await files.namespacesOf([...new Set(found.map(({ _fileId }) => _fileId))], namespaces[0]!);
      for (const load of found) {
        const other = known.get(load._fileId)?.find((namespace) => !namespaces.includes(namespace));
        if (other === undefined) await remove(load._id);
        else await loads.updateOne({ _id: load._id, ...requested }, { $set: { '_work.namespace': other } });
      }
      return found.length > 0;
    },
  };
}
