import { oneOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { NamespaceContents } from '@dtplatform/queue';
import type { FileSet } from '../filesets/file-set.js';
import { fileSetModel } from '../filesets/file-sets.store.js';
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

/**
 * File sets, and loads that were requested, in namespaces. A load is in the namespaces of its file, which filesvc knows. What is
 * in other namespaces, too, stays there.
 */
export function createNamespaceContents({ mongo, files, cache }: Deps): NamespaceContents {
  const loads = mongo.model(loadModel);
  const fileSets = mongo.model(fileSetModel);

  /**
   * The load ends first, so that a process that works on it stores nothing after this. Its document is removed last: it finds
   * the content again after a crash.
   */
  async function remove(_id: string): Promise<void> {
    const evicted = { $set: { _status: 'EVICTED' as const }, $unset: { '_work.lease.until': 1 as const } };
    const ended = await loads.findOneAndUpdate({ _id }, evicted).lean();
    if (!ended) return;
    await cache.remove(ended);
    await loads.deleteOne({ _id, _status: 'EVICTED' });
  }

  async function removeLoads(namespaces: string[]): Promise<number> {
    const requested = { '_work.namespace': oneOf(namespaces) };
    const found = await loads.find(requested).limit(BATCH).lean<Load[]>();
    const known = await files.namespacesOf([...new Set(found.map(({ _fileId }) => _fileId))], namespaces[0]!);
    for (const load of found) {
      const other = known.get(load._fileId)?.find((namespace) => !namespaces.includes(namespace));
      if (other === undefined) await remove(load._id);
      else await loads.updateOne({ _id: load._id, ...requested }, { $set: { '_work.namespace': other } });
    }
    return found.length;
  }

  async function removeFileSets(namespaces: string[]): Promise<number> {
    const held = { _namespaces: oneOf(namespaces) };
    const found = await fileSets
      .find(held, { _namespaces: 1 })
      .limit(BATCH)
      .lean<Pick<FileSet, '_id' | '_namespaces'>[]>();
    const stays = ({ _namespaces }: Pick<FileSet, '_namespaces'>) =>
      _namespaces.some((namespace) => !namespaces.includes(namespace));
    const these = (sets: { _id: string }[]) => ({ _id: oneOf(sets.map(({ _id }) => _id)) });
    await fileSets.deleteMany(these(found.filter((one) => !stays(one))));
    const update = { $pullAll: { _namespaces: namespaces }, $set: { '_metadata._updatedAt': Date.now() } };
    await fileSets.updateMany({ ...these(found.filter(stays)), ...held }, update);
    return found.length;
  }

  return {
    removeBatch: async (namespaces) => (await removeFileSets(namespaces)) + (await removeLoads(namespaces)) > 0,
  };
}
