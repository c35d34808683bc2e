import type { Access } from '@dtplatform/permissions';
import type { FileSet } from '../filesets/file-set.js';
import type { FileSetStore } from '../filesets/file-sets.store.js';
import type { FileSource } from '../filestore/files.client.js';
import type { SourceFile, Version } from '../filestore/load.js';
import type { KnownVersions } from '../filestore/loads.js';

export interface OpenFileSet {
  fileSet: FileSet;
  /** The namespace of the call that opened it. */
  namespace: string;
}

/** Files by id. */
type Files = Map<string, SourceFile>;

interface Deps {
  fileSetStore: Pick<FileSetStore, 'find'>;
  files: Pick<FileSource, 'find'>;
  knownVersions: KnownVersions;
}

/** filesvc decides which files are readable; its response also names the tip. */
export function createStreamRights({ fileSetStore, files, knownVersions }: Deps) {
  /** @throws 404 when the set is not in the namespace or the caller may not read it */
  const requireFileSet = async (id: string, namespace: string, access: Access): Promise<FileSet> =>
    access.require('READ', await fileSetStore.find(id, namespace));

  async function readable(ids: string[], namespace: string, access: Access): Promise<Files> {
    const found = ids.length === 0 ? [] : await files.find(ids, namespace, { token: access.principal.token });
    return new Map(found.map((file) => [file.id, file]));
  }

  return {
    requireFileSet,
    readable,

    /**
     * The files of the set that the caller may read.
     * @throws 404 as `requireFileSet`
     */
    async readableThrough({ fileSet, namespace }: OpenFileSet, fileIds: string[], access: Access): Promise<Files> {
      const { _fileIds } = await requireFileSet(fileSet._id, namespace, access);
      const ids = [...new Set(fileIds)].filter((id) => _fileIds.includes(id));
      return readable(ids, namespace, access);
    },

    async has(file: SourceFile | undefined, version: Version | undefined, namespace: string): Promise<boolean> {
      return file !== undefined && (!version || (await knownVersions.has(version, file, namespace)));
    },
  };
}
