import { commonErrors } from '@dtplatform/errors';
import { errors } from '../../errors.js';
import { loadId } from './load.js';
import type { Load, LoadRequest } from './load.js';
import type { KnownVersions } from './known-versions.js';
import type { FileSource, LoadStore, WantedLoad } from './ports.js';
import { isId, requireFiles } from './require-files.js';
import type { Caller } from './require-files.js';

export interface Loads {
  /**
   * Queues the loads of files, all or none.
   * @throws 404 when a file does not exist or the caller may not read it
   */
  request(requests: LoadRequest[], caller: Caller): Promise<void>;
  /**
   * The load of a version, or the last requested load of the file.
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
  return {
    async request(requests, caller) {
      if (!requests.every(({ _fileVersionId }) => _fileVersionId === undefined || isId(_fileVersionId))) {
        throw errors.fileNotFound();
      }
      const byId = await requireFiles(files, [...new Set(requests.map(({ _fileId }) => _fileId))], caller);
      const wanted = requests.map(({ _fileId, _fileVersionId: versionId }): [string, WantedLoad] => {
        const { tipId, size } = byId.get(_fileId)!;
        const _fileVersionId = versionId ?? tipId;
        const _id = loadId(_fileId, _fileVersionId);
        return [_id, { _id, _fileId, _fileVersionId, _size: _fileVersionId === tipId ? size : 0 }];
      });
      await loadStore.enqueue([...new Map(wanted).values()], caller.namespace);
    },
    async get({ _fileId, _fileVersionId }, caller) {
      const byId = await requireFiles(files, [_fileId], caller);
      const load = await loadStore.latest(_fileId, _fileVersionId);
      if (!load) throw commonErrors.notFound();
      if (!(await knownVersions.has(load, byId.get(_fileId)!, caller.namespace))) throw errors.fileNotFound();
      return load;
    },
  };
}
