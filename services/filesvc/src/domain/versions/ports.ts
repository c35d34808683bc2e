import type { Listing, Paging } from '@dtplatform/contracts';
import type { File, FileVersion } from '../files/file.js';
import type { UsageChange } from '../files/usage.js';

/** A file without one of its versions. */
export interface RemovedVersion {
  file: File;
  usage: UsageChange[];
}

/** The versions of files. Uploads add them (`FileStore`, `UploadStore`). */
export interface VersionStore {
  find(fileId: string, versionId: string): Promise<FileVersion | undefined>;
  /** Newest first. */
  list(fileId: string, paging: Paging): Promise<Listing<FileVersion>>;
  /**
   * Removes a version and writes what `decide` returns for its file; the worker discards the content. `decide` runs again
   * after a write conflict.
   * @param decide gets the latest of the other versions; undefined when there is none
   * @returns false when the version or its file no longer exists
   */
  remove(
    fileId: string,
    versionId: string,
    decide: (file: File, version: FileVersion, latest: FileVersion | undefined) => RemovedVersion,
  ): Promise<boolean>;
}
