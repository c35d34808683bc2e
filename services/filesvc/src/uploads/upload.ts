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

/** docs/contract.md, "Resumable upload". Exists until it completes. */
export const Upload = z.object({
  _id: z.string(),
  fileId: z.string(),
  status: File.shape._status.extract(['UPLOAD_INITIATED', 'UPLOAD_INTERRUPTED']),
  /** Bytes of the whole content. */
  size: z.int(),
  checksum: z.string(),
  author: z.object({ id: z.string(), name: z.string() }),
  /** Replace those of the file. */
  tags: File.shape._tags.optional(),
  /** The object's key. A restarted upload gets another one. */
  key: z.string(),
  restarts: z.int(),
  contentType: z.string(),
  contentEncoding: z.string().optional(),
  /** Size of all parts, except those at the end of a request. */
  partBytes: z.int(),
  multipartId: z.string().optional(),
  parts: z.array(PartRecord),
  nextPartNumber: z.int(),
  /** Durable bytes after the parts, too few for a part: an object named by its writer's fence. */
  tail: z.object({ fence: z.int(), size: z.int() }).optional(),
  /** All bytes before it are durable. It reaches the end only once the file is complete. */
  offset: z.int(),
  /** All parts are stored. Any process can complete the upload, repeatedly. */
  isCompleting: z.boolean(),
  /** The fence rises with each writer. */
  lease: z.object({ fence: z.int(), until: z.date().optional() }),
  /** Fences of tails that may still exist. */
  looseTails: z.array(z.int()),
  touchedAt: z.date(),
});
export type Upload = z.infer<typeof Upload>;

/** Parts that may be stored or in flight without being recorded. */
export const MAX_UNRECORDED = 4;

/** Bytes too few for a part. Each writer has its own key, so writers cannot overwrite each other. */
export const tailKey = (uploadId: string, fence: number): string => `tails/${uploadId}/${fence}`;

export const uploadMetaOf = ({ _id, size, checksum }: Upload): NonNullable<File['_uploadMeta']> => ({
  _size: size,
  _checksum: checksum,
  _uploadId: _id,
});

/** The file as responses about the upload show it. The file itself stays complete while a new version uploads. */
export const fileInUpload = (file: File, upload: Upload): File => ({
  ...file,
  _status: upload.status,
  _uploadMeta: uploadMetaOf(upload),
});

export interface AppendedBytes {
  offset: number | undefined;
  /** Bytes, if known. */
  length: number | undefined;
  /** Must equal the checksum of the initiation. */
  checksum: string | undefined;
}
