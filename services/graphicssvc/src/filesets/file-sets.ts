import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { requireDeletion } from '@dtplatform/permissions';
import type { Access, Resources } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import type { FileSource } from '../filestore/files.client.js';
import { requireFiles } from '../filestore/loads.js';
import { FILE_SET_TYPE, newFileSet } from './file-set.js';
import type { FileSet, NewFileSet } from './file-set.js';
import type { FileSetStore } from './file-sets.store.js';

export interface FileSets extends Resources<FileSet> {
  /**
   * The creator gets all permissions on it. The route has checked CREATE.
   * @param nsfilter the namespace of the call, in which the caller must be able to read the files
   * @throws 400 unless the set is in that namespace, 404 when a file does not exist or the caller may not read it
   */
  create(wanted: NewFileSet, nsfilter: string, access: Access): Promise<FileSet>;
  list(nsfilter: string, paging: Paging, access: Access): Promise<Listing<FileSet>>;
  /**
   * By the rule of `requireDeletion`.
   * @param nsfilter the namespace of the call
   * @throws 403, 404 when it is already gone, 412
   */
  remove(fileSet: FileSet, nsfilter: string, access: Access, precondition: Precondition): Promise<void>;
}

interface FileSetsDeps {
  fileSetStore: FileSetStore;
  files: Pick<FileSource, 'find'>;
  newId: () => string;
}

export const createFileSets = ({ fileSetStore, files, newId }: FileSetsDeps): FileSets => ({
  find: (id, namespace) => fileSetStore.find(id, namespace),
  async create(wanted, nsfilter, access) {
    if (!wanted._namespaces.includes(nsfilter)) throw errors.namespaceNotListed();
    await requireFiles(files, wanted._fileIds, { token: access.principal.token, namespace: nsfilter });
    const fileSet = newFileSet(newId(), wanted, nsfilter, access.principal);
    await access.own(fileSet);
    await fileSetStore.insert(fileSet);
    return fileSet;
  },
  list: async (nsfilter, paging, access) =>
    fileSetStore.list(await access.scope('READ', FILE_SET_TYPE, [nsfilter]), paging),
  async remove(fileSet, nsfilter, access, precondition) {
    const left = await requireDeletion(access, fileSet, nsfilter);
    const place = left && { namespace: nsfilter, home: left._home, by: access.principal };
    const isDone = place
      ? await fileSetStore.leave(fileSet, place, precondition)
      : await fileSetStore.remove(fileSet._id, precondition);
    if (!isDone) throw commonErrors.notFound();
  },
});
