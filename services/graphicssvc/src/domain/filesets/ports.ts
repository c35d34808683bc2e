import type { Author, Listing, Paging, Precondition } from '@dtplatform/contracts';
import type { Scope } from '@dtplatform/permissions';
import type { FileSet } from './file-set.js';

/** Where file sets are stored. */
export interface FileSetStore {
  insert(fileSet: FileSet): Promise<void>;
  /** The file set, if it is in the namespace. */
  find(id: string, namespace: string): Promise<FileSet | undefined>;
  list(scope: Scope, paging: Paging): Promise<Listing<FileSet>>;
  /** @returns false when it no longer exists. @throws 412 */
  remove(id: string, precondition: Precondition): Promise<boolean>;
  /** Takes it out of a namespace. @returns false when it no longer is in these two @throws 412 */
  leave(
    fileSet: FileSet,
    place: { namespace: string; home: string; by: Author },
    precondition: Precondition,
  ): Promise<boolean>;
}
