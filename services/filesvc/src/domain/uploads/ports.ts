import type { KeptLease } from '@dtplatform/lease';
import type { File } from '../files/file.js';
import type { FileChange } from '../files/ports.js';
import type { PartRecord, Upload } from './upload.js';

/** What a request says about the bytes that it appends. */
export interface AppendedBytes {
  /** Offset of the first byte; undefined for the current offset of the upload. */
  offset: number | undefined;
  /** Their number, if known. */
  length: number | undefined;
  /** Must be the checksum that the upload was initiated with. */
  checksum: string | undefined;
}

/**
 * Unfinished uploads. The writes of a writer take the upload as it was when the writer claimed it. They name the fence
 * of its lease, so a writer that lost it cannot write.
 */
export interface UploadStore {
  find(id: string): Promise<Upload | undefined>;
  /** Starts the upload of a new file. @throws 400 when the name is taken */
  beginNew(upload: Upload, file: File): Promise<File>;
  /**
   * Starts an upload of an existing file, in place of its previous upload.
   * @returns undefined when the file no longer exists
   * @throws 409 while a writer holds the previous upload
   */
  beginAgain(upload: Upload): Promise<File | undefined>;
  /**
   * Claims the lease of an upload that is still as it was found. Undefined when another writer holds it, when the
   * upload is gone or at another offset, or when all its parts have been stored since.
   */
  claim(found: Pick<Upload, '_id' | 'offset' | 'isCompleting'>): Promise<Upload | undefined>;
  /**
   * Claims the lease of an unfinished upload that can take these bytes: at their offset, with room for them, and with their
   * checksum. Undefined in all other cases.
   */
  claimFor(id: string, bytes: AppendedBytes): Promise<Upload | undefined>;
  /**
   * Sends heartbeats until it is stopped. A writer whose connection hangs loses its lease after some seconds to a
   * client that reconnects; until another client claims it, the writer may continue.
   * @param hasMoved whether bytes have moved since the last heartbeat, without which the lease is not extended; by
   * default always
   */
  keep(held: Upload, hasMoved?: () => boolean): Pick<KeptLease, 'stop'>;
  setMultipart(held: Upload, multipartId: string): Promise<void>;
  /** Records that the bytes up to the end of the part are durable. Parts come in order; the first includes the tail. */
  addPart(held: Upload, part: PartRecord, offset: number): Promise<void>;
  /** Records that all parts are stored. From then on they may be made one object, at any time and repeatedly. */
  setCompleting(held: Upload, parts: PartRecord[]): Promise<void>;
  /**
   * Ends the lease before the end of the content. The upload becomes interrupted unless `kept` has another status.
   * @param unsettled parts may still arrive at the object store, so their numbers must not be reused
   * @returns false when the upload was removed or another writer holds the lease
   */
  interrupt(
    held: Upload,
    kept: Partial<Pick<Upload, 'status' | 'parts' | 'offset' | 'tail' | 'looseTails'>>,
    unsettled?: boolean,
  ): Promise<boolean>;
  /** Ends the lease and drops all content: the upload starts over under another key. */
  restart(held: Upload, key: string): Promise<void>;
  /**
   * Ends the upload and makes its content the file's tip. Undefined when it was removed or another writer holds the
   * lease.
   */
  commit(held: Upload, decide: (file: File) => FileChange): Promise<File | undefined>;
  /**
   * Removes an upload, and its file if that has no version yet. The worker discards the content.
   * @param abandonedSince only when it has no writer and no bytes have moved since
   * @returns false when it no longer exists
   */
  cancel(upload: Upload, abandonedSince?: Date): Promise<boolean>;
  /** Uploads whose writer died, and those that have all their parts and that nobody completes. */
  findStale(limit: number): Promise<Upload[]>;
  /** Uploads without a writer in which no bytes have moved since a time. */
  findAbandoned(since: Date, limit: number): Promise<Upload[]>;
}
