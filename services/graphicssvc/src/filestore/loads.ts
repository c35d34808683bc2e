import { LRUCache } from 'lru-cache';
import { ResourceId } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { errors } from '../errors.js';
import type { FileSource } from './files.client.js';
import { loadId, NOT_FAILED } from './load.js';
import type { Load, LoadRequest, SourceFile, Version, WantedLoad } from './load.js';
import type { LoadStore } from './loads.store.js';

const MAX_ENTRIES = 10_000;
/** How long a deleted version may still be read. */
const MAX_AGE_MS = 3_000;

/** Asks filesvc about versions other than the tip, and caches the response briefly. */
export function createKnownVersions({ files }: { files: Pick<FileSource, 'findVersion'> }) {
  const responses = new LRUCache<string, boolean, { version: Version; namespace: string }>({
    max: MAX_ENTRIES,
    ttl: MAX_AGE_MS,
    ttlResolution: 100,
    // A response is used even if its entry has been evicted.
    ignoreFetchAbort: true,
    fetchMethod: async (_id, _stale, { context: { version, namespace } }) =>
      (await files.findVersion(version, namespace)) !== undefined,
  });

  return {
    /** @param file just read from filesvc: its tip needs no further request */
    async has({ _fileId, _fileVersionId }: Version, file: SourceFile, namespace: string): Promise<boolean> {
      if (_fileVersionId === file.tipId) return true;
      const context = { version: { _fileId, _fileVersionId }, namespace };
      return (await responses.fetch(loadId(_fileId, _fileVersionId), { context })) === true;
    },
  };
}

export type KnownVersions = ReturnType<typeof createKnownVersions>;

interface Caller {
  token: string;
  /** The namespace of the call. */
  namespace: string;
}

export const isId = (text: string): boolean => ResourceId.safeParse(text).success;

/** @throws 404 unless the caller may read all of them */
export async function requireFiles(
  files: Pick<FileSource, 'find'>,
  ids: string[],
  { namespace, token }: Caller,
): Promise<Map<string, SourceFile>> {
  if (!ids.every(isId)) throw errors.fileNotFound();
  const found = await files.find(ids, namespace, { token });
  const byId = new Map(found.map((file) => [file.id, file]));
  if (!ids.every((id) => byId.has(id))) throw errors.fileNotFound();
  return byId;
}

const VERSIONS_AT_ONCE = 8;

interface LoadsDeps {
  loadStore: LoadStore;
  files: FileSource;
  knownVersions: KnownVersions;
}

export function createLoads({ loadStore, files, knownVersions }: LoadsDeps) {
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
    /**
     * Queues all loads or none.
     * @throws 404 when a file does not exist or has no such version, or the caller may not read it
     */
    async request(requests: LoadRequest[], caller: Caller): Promise<void> {
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
    /**
     * The load of a version, or the default one of the file (`LoadStore.defaultsOf`).
     * @throws 404 when it does not exist, the caller may not read the file, or the version was deleted
     */
    async get({ _fileId, _fileVersionId }: LoadRequest, caller: Caller): Promise<Load> {
      const byId = await requireFiles(files, [_fileId], caller);
      const load = await loadStore.find({ _fileId, _fileVersionId }, NOT_FAILED);
      if (!load) throw commonErrors.notFound();
      if (!(await knownVersions.has(load, byId.get(_fileId)!, caller.namespace))) throw errors.fileNotFound();
      return load;
    },
  };
}

export type Loads = ReturnType<typeof createLoads>;
