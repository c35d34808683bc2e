import { commonErrors } from '@dtplatform/errors';
import { errors } from '../../errors.js';
import { loadId, NOT_FAILED } from './load.js';
import type { Load, LoadRequest, Version } from './load.js';
import type { KnownVersions } from './known-versions.js';
import type { FileSource, LoadStore, SourceFile, WantedLoad } from './ports.js';
import { isId, requireFiles } from './require-files.js';
import type { Caller } from './require-files.js';

/** How many versions filesvc is asked for at the same time. */
const VERSIONS_AT_ONCE = 8;

export interface Loads {
  /**
   * Queues the loads of files, all or none.
   * @throws 404 when a file does not exist or has no such version, or the caller may not read it
   */
  request(requests: LoadRequest[], caller: Caller): Promise<void>;
  /**
   * The load of a version, or the default one of the file (`LoadStore.defaultsOf`).
   * @throws 404 when it does not exist, the caller may not read the file, or the version was deleted
   */
  get(request: LoadRequest, caller: Caller): Promise<Load>;
}

interface LoadsDeps {
  loadStore: LoadStore;
  files: FileSource;
  knownVersions: KnownVersions;
}

export function createLoads({ loadStore, files, knownVersions }: LoadsDeps): Loads {
  /** @throws 404 when the file has no such version */
  async function wantedLoad(
    version: Version & { _id: string },
    { tipId, size }: SourceFile,
    { namespace }: Caller,
  ): Promise<WantedLoad> {
    if (version._fileVersionId === tipId) return { ...version, _size: size, isLatest: true };
    const found = await files.findVersion(version, namespace);
    if (!found) throw errors.fileNotFound();
    return { ...version, _size: found.size, isLatest: false };
  }

  return {
    async request(requests, caller) {
      if (!requests.every(({ _fileVersionId }) => _fileVersionId === undefined || isId(_fileVersionId))) {
        throw errors.fileNotFound();
      }
      const byId = await requireFiles(files, [...new Set(requests.map(({ _fileId }) => _fileId))], caller);
      const versions = requests.map(({ _fileId, _fileVersionId = byId.get(_fileId)!.tipId }) => {
        return { _id: loadId(_fileId, _fileVersionId), _fileId, _fileVersionId };
      });
      const distinct = [...new Map(versions.map((version) => [version._id, version])).values()];
      const wanted: WantedLoad[] = [];
      for (let from = 0; from < distinct.length; from += VERSIONS_AT_ONCE) {
        const some = distinct.slice(from, from + VERSIONS_AT_ONCE);
        wanted.push(...(await Promise.all(some.map((each) => wantedLoad(each, byId.get(each._fileId)!, caller)))));
      }
      await loadStore.enqueue(wanted, caller.namespace);
    },
    async get({ _fileId, _fileVersionId }, caller) {
      const byId = await requireFiles(files, [_fileId], caller);
      const load = await loadStore.find({ _fileId, _fileVersionId }, NOT_FAILED);
      if (!load) throw commonErrors.notFound();
      if (!(await knownVersions.has(load, byId.get(_fileId)!, caller.namespace))) throw errors.fileNotFound();
      return load;
    },
  };
}
