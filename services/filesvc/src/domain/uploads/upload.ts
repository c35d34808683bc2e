import type { File, FileStatus, UploadMeta } from '../file.js';
import type { Author } from '../metadata.js';

export interface PartRecord {
  partNumber: number;
  etag: string;
  /** Bytes. */
  size: number;
}

/** The unfinished resumable upload of a file (contract: Resumable upload). */
export interface Upload {
  /** Also the id of the version that it becomes. */
  _id: string;
  fileId: string;
  status: Extract<FileStatus, 'UPLOAD_INITIATED' | 'UPLOAD_INTERRUPTED'>;
  /** Bytes of the whole content. */
  size: number;
  checksum: string;
  author: Author;
  /** Replace those of the file. */
  tags?: string[];
  /** Key of the object that the content becomes. An upload that begins anew takes another. */
  key: string;
  /** How often it began anew. */
  restarts: number;
  contentType: string;
  contentEncoding?: string;
  /** Bytes of all parts but those at the end of a request. */
  partBytes: number;
  multipartId?: string;
  parts: PartRecord[];
  nextPartNumber: number;
  /** Durable bytes after the parts that are too few for a part: an object of their own, named by the fence of its writer. */
  tail?: { fence: number; size: number };
  /** Acknowledged: all bytes before it are durable. The end is reached only when the file is complete. */
  offset: number;
  /** All parts are there. What is left can be done by anybody, again and again. */
  isCompleting: boolean;
  /** Rises with each writer. */
  fence: number;
  leaseUntil?: Date;
  /** Tails that may have been left behind. */
  looseTails: number[];
  touchedAt: Date;
}

/** An upload that this process may write to, as it was when the lease was taken. */
export type HeldUpload = Upload & { leaseUntil: Date };

/** Content that streams in before it is known which file takes it. */
export interface Draft {
  _id: string;
  key: string;
  multipartId?: string;
}

/** At most so many parts of an upload are on their way at once, each in a buffer of its own. */
export const PARTS_IN_FLIGHT = 2;
/** At most so many parts may be stored, or on their way, and not noted yet. */
export const MAX_UNNOTED = 4;
/** The smallest part that object stores take before the last one. */
export const MIN_PART_BYTES = 5 * 1024 * 1024;
export const DEFAULT_PART_BYTES = 8 * 1024 * 1024;
const MIB = 1024 * 1024;
/** Object stores take 10 000 parts; some are left for those that end early. */
export const MAX_PARTS = 10_000;
const PLANNED_PARTS = 9_000;

/** Bytes of a part, such that the parts of a file of `size` bytes are not too many. */
export const partBytesFor = (size: number): number =>
  Math.max(DEFAULT_PART_BYTES, Math.ceil(size / PLANNED_PARTS / MIB) * MIB);

/** Whether a part may end early: enough part numbers must stay for the rest in full parts. */
export const mayEndPart = (nextPartNumber: number, bytesLeft: number, partBytes: number): boolean =>
  MAX_PARTS - nextPartNumber > Math.ceil(bytesLeft / partBytes) + MAX_UNNOTED;

export const uploadMetaOf = ({ _id, size, checksum }: Upload): UploadMeta => ({
  _size: size,
  _checksum: checksum,
  _uploadId: _id,
});

/** The file as an answer to a call that is about its upload: while a new version uploads, the file itself stays complete. */
export const inUpload = (file: File, upload: Upload): File => ({
  ...file,
  _status: upload.status,
  _uploadMeta: uploadMetaOf(upload),
});
