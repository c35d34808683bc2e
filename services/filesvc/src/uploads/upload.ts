import { z } from 'zod';
import type { KeptLease } from '@dtplatform/lease';
import type { FileChange } from '../files/file-change.js';
import { File } from '../files/file.js';

export const PartRecord = z.object({
  /** From 1. */
  partNumber: z.int(),
  etag: z.string(),
  /** Bytes. */
  size: z.int(),
});
export type PartRecord = z.infer<typeof PartRecord>;

/** The unfinished resumable upload of a file (docs/contract.md, "Resumable upload"). */
export const Upload = z.object({
  /** Becomes the id of the version. */
  _id: z.string(),
  fileId: z.string(),
  status: File.shape._status.extract(['UPLOAD_INITIATED', 'UPLOAD_INTERRUPTED']),
  /** Bytes of the whole content. */
  size: z.int(),
  checksum: z.string(),
  author: z.object({ id: z.string(), name: z.string() }),
  /** Replace those of the file. */
  tags: File.shape._tags.optional(),
  /** Key of the object that the content becomes. An upload that starts over gets another one. */
  key: z.string(),
  /** How often the upload started over. */
  restarts: z.int(),
  contentType: z.string(),
  contentEncoding: z.string().optional(),
  /** Size of all parts, except those at the end of a request. */
  partBytes: z.int(),
  multipartId: z.string().optional(),
  parts: z.array(PartRecord),
  nextPartNumber: z.int(),
  /** Durable bytes after the parts that are too few for a part: an object of their own, named by its writer's fence. */
  tail: z.object({ fence: z.int(), size: z.int() }).optional(),
  /** Acknowledged: all bytes before it are durable. It reaches the end only once the file is complete. */
  offset: z.int(),
  /** All parts are stored. Any process can do the rest, repeatedly. */
  isCompleting: z.boolean(),
  /** The fence rises with each writer. */
  lease: z.object({ fence: z.int(), until: z.date().optional() }),
  /** Fences of tails that may have been left behind. */
  looseTails: z.array(z.int()),
  touchedAt: z.date(),
});
export type Upload = z.infer<typeof Upload>;

/** The most parts that may be stored or in flight without being recorded. */
export const MAX_UNRECORDED = 4;

/** Object key of bytes that are too few for a part. Each writer has its own, so writers cannot overwrite each other's. */
export const tailKey = (uploadId: string, fence: number): string => `tails/${uploadId}/${fence}`;

export const uploadMetaOf = ({ _id, size, checksum }: Upload): NonNullable<File['_uploadMeta']> => ({
  _size: size,
  _checksum: checksum,
  _uploadId: _id,
});

/** The file as the response to a call about its upload. The file itself stays complete while a new version uploads. */
export const fileInUpload = (file: File, upload: Upload): File => ({
  ...file,
  _status: upload.status,
  _uploadMeta: uploadMetaOf(upload),
});

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
