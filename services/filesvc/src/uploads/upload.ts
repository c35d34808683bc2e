import { z } from 'zod';
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
