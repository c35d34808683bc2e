import { ResourceId } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { errors } from '../errors.js';
import { loadId } from './load.js';
import type { Load } from './load.js';
import type { FileSource, LoadStore, WantedLoad } from './ports.js';

interface FileRequest {
  _fileId: string;
  /** The latest by default. */
  _fileVersionId?: string;
}

/** On whose behalf, and where. */
interface Caller {
  token: string;
  namespace: string;
}

export interface Filestore {
  /** Has files loaded into the store, all or none. @throws 404 when one is missing or the caller may not read it */
  request(entries: FileRequest[], caller: Caller): Promise<void>;
  /**
   * The load of a file: the one that was asked for last, or that of the version.
   * @throws 404 when there is none, or the caller may not read the file
   */
  status(wanted: FileRequest, caller: Caller): Promise<Load>;
}

export function createFilestore({ store, files }: { store: LoadStore; files: FileSource }): Filestore {
  async function readable(ids: string[], { namespace, token }: Caller) {
    if (!ids.every(isId)) throw errors.fileNotFound();
    const found = await files.find(ids, namespace, { token });
    const byId = new Map(found.map((file) => [file.id, file]));
    if (!ids.every((id) => byId.has(id))) throw errors.fileNotFound();
    return byId;
  }

  return {
    async request(entries, caller) {
      const ids = [...new Set(entries.map(({ _fileId }) => _fileId))];
      if (!entries.every(({ _fileVersionId }) => _fileVersionId === undefined || isId(_fileVersionId))) {
        throw errors.fileNotFound();
      }
      const byId = await readable(ids, caller);
      const wanted = entries.map(({ _fileId, _fileVersionId }): [string, WantedLoad] => {
        const { tipId, size } = byId.get(_fileId)!;
        const fileVersionId = _fileVersionId ?? tipId;
        const load = { fileId: _fileId, fileVersionId, size: fileVersionId === tipId ? size : 0 };
        return [loadId(_fileId, fileVersionId), load];
      });
      await store.enqueue([...new Map(wanted).values()], caller.namespace);
    },
    async status({ _fileId, _fileVersionId }, caller) {
      await readable([_fileId], caller);
      const load = await store.latest(_fileId, _fileVersionId);
      if (!load) throw commonErrors.notFound();
      return load;
    },
  };
}

const isId = (text: string) => ResourceId.safeParse(text).success;
