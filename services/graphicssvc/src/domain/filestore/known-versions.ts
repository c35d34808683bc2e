import { LRUCache } from 'lru-cache';
import { loadId } from './load.js';
import type { Version } from './load.js';
import type { FileSource, SourceFile } from './ports.js';

const MAX_ENTRIES = 10_000;
/** How long a version that was deleted may still be read. */
const MAX_AGE_MS = 3_000;

/** Which versions filesvc still has. Whether a caller may read the file is not decided here. */
export interface KnownVersions {
  /** @param file the file as filesvc has just described it: its tip needs no further question */
  has(version: Version, file: SourceFile, namespace: string): Promise<boolean>;
}

/** Asks filesvc about versions that are not the tip, and keeps the answer for a moment. */
export function createKnownVersions({ files }: { files: Pick<FileSource, 'findVersion'> }): KnownVersions {
  const answers = new LRUCache<string, boolean, { version: Version; namespace: string }>({
    max: MAX_ENTRIES,
    ttl: MAX_AGE_MS,
    ttlResolution: 100,
    // An answer that arrives is used, even if many others came in between.
    ignoreFetchAbort: true,
    fetchMethod: async (_id, _stale, { context: { version, namespace } }) =>
      (await files.findVersion(version, namespace)) !== undefined,
  });

  return {
    async has({ _fileId, _fileVersionId }, file, namespace) {
      if (_fileVersionId === file.tipId) return true;
      const context = { version: { _fileId, _fileVersionId }, namespace };
      return (await answers.fetch(loadId(_fileId, _fileVersionId), { context })) === true;
    },
  };
}
