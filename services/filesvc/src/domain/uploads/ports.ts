import type { File, FileVersion } from '../files/file.js';
import type { FileChange } from '../files/ports.js';
import type { HeldUpload, PartRecord, Upload } from './upload.js';

/** Unfinished uploads. Every write names the fence of its writer, so a writer that lost its lease cannot write. */
export interface UploadStore {
  find(id: string): Promise<Upload | undefined>;
  /** Starts the upload of a new file. @throws 400 when the name is taken */
  beginNew(upload: Upload, file: File): Promise<void>;
  /**
   * Starts an upload of an existing file, in place of its previous upload.
   * @returns undefined when the file no longer exists
   * @throws 409 while a writer holds the previous upload
   */
  beginAgain(upload: Upload): Promise<File | undefined>;
  /** Takes the lease. Undefined when another writer holds it, or the upload is gone or at another offset. */
  acquire(id: string, offset: number): Promise<HeldUpload | undefined>;
  /**
   * Heartbeat of the writer. Extends its lease by some seconds if bytes have moved.
   * @returns false when another writer holds the lease
   */
  extend(held: HeldUpload, hasMoved: boolean): Promise<boolean>;
  setMultipart(held: HeldUpload, multipartId: string): Promise<void>;
  /** Records that the bytes up to the end of the part are durable. Parts come in order; the first includes the tail. */
  addPart(held: HeldUpload, part: PartRecord, offset: number): Promise<void>;
  /** Records that all parts are stored. From then on they may be made one object, at any time and repeatedly. */
  setCompleting(held: HeldUpload, parts: PartRecord[]): Promise<void>;
  /**
   * Ends the lease before the end of the content. The upload becomes interrupted unless `kept` has another status.
   * @param unsettled parts may still arrive at the object store, so their numbers must not be reused
   * @returns false when the upload was removed or another writer holds the lease
   */
  interrupt(
    held: HeldUpload,
    kept: Partial<Pick<Upload, 'status' | 'parts' | 'offset' | 'tail' | 'looseTails'>>,
    unsettled?: boolean,
  ): Promise<boolean>;
  /** Ends the lease and drops all content: the upload starts over under another key. */
  restart(held: HeldUpload, key: string): Promise<void>;
  /** Ends the upload and makes its content the file's tip. Undefined when it was removed or another writer holds the lease. */
  commit(held: HeldUpload, decide: (file: File, versions: FileVersion[]) => FileChange): Promise<File | undefined>;
  /**
   * Removes an upload, and its file if that has no version yet. The worker discards the content.
   * @param abandonedSince only when it has no writer and no bytes have moved since
   * @returns false when it no longer exists
   */
  cancel(upload: Upload, abandonedSince?: Date): Promise<boolean>;
  /** Uploads whose writer died. */
  findStale(limit: number): Promise<Upload[]>;
  /** Uploads without a writer in which no bytes have moved since a time. */
  findAbandoned(since: Date, limit: number): Promise<Upload[]>;
}
