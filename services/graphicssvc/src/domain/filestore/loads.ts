import { ResourceId } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { errors } from '../../errors.js';
import { loadId } from './load.js';
import type { Load, LoadRequest } from './load.js';
import type { FileSource, LoadStore, WantedLoad } from './ports.js';

interface Caller {
  token: string;
  /** The namespace of the call. */
  namespace: string;
}

export interface Loads {
  /**
   * Queues the loads of files, all or none.
   * @throws 404 when a file does not exist or the caller may not read it
   */
  request(requests: LoadRequest[], caller: Caller): Promise<void>;
  /**
   * The load of a version, or the last requested load of the file.
   * @throws 404 when it does not exist or the caller may not read the file
   */
  get(request: LoadRequest, caller: Caller): Promise<Load>;
}

export function createLoads({ loadStore, files }: { loadStore: LoadStore; files: FileSource }): Loads {
  /** The files, by their ids. @throws 404 unless the caller may read all of them */
  async function findAll(ids: string[], { namespace, token }: Caller) {
    if (!ids.every(isId)) throw errors.fileNotFound();
    const found = await files.find(ids, namespace, { token });
    const byId = new Map(found.map((file) => [file.id, file]));
    if (!ids.every((id) => byId.has(id))) throw errors.fileNotFound();
    return byId;
  }

  return {
    async request(requests, caller) {
      if (!requests.every(({ _fileVersionId }) => _fileVersionId === undefined || isId(_fileVersionId))) {
        throw errors.fileNotFound();
      }
      const byId = await findAll([...new Set(requests.map(({ _fileId }) => _fileId))], caller);
      const wanted = requests.map(({ _fileId, _fileVersionId: versionId }): [string, WantedLoad] => {
        const { tipId, size } = byId.get(_fileId)!;
        const _fileVersionId = versionId ?? tipId;
        const _id = loadId(_fileId, _fileVersionId);
        return [_id, { _id, _fileId, _fileVersionId, _size: _fileVersionId === tipId ? size : 0 }];
      });
      await loadStore.enqueue([...new Map(wanted).values()], caller.namespace);
    },
    async get({ _fileId, _fileVersionId }, caller) {
      await findAll([_fileId], caller);
      const load = await loadStore.latest(_fileId, _fileVersionId);
      if (!load) throw commonErrors.notFound();
      return load;
    },
  };
}

const isId = (text: string) => ResourceId.safeParse(text).success;
