import type { Readable } from 'node:stream';
import { commonErrors } from '@dtplatform/errors';
import { errors } from '../../errors.js';
import { isSameChecksum } from '../checksum.js';
import { shown } from '../file.js';
import type { File, StoredFile } from '../file.js';
import type { FileStore, UploadStore } from '../ports.js';
import type { Appended, createAppend } from './append.js';
import type { UploadFinisher } from './finish-upload.js';
import { inUpload } from './upload.js';
import type { Upload } from './upload.js';

/** One request's bytes, and what it says of them. */
export interface Appending {
  body: Readable;
  /** Where they begin; undefined: where the upload is. */
  offset: number | undefined;
  /** How many they are, where that is known. */
  length: number | undefined;
  /** Must be the one that the upload was initiated with. */
  checksum: string | undefined;
}

export type ResumableUploads = ReturnType<typeof createResumableUploads>;

/** The upload of a file, as its state is now; `upload` is missing when the file is complete. */
interface Current {
  file: StoredFile;
  upload: Upload | undefined;
}

/** Resumable uploads, apart from how they begin (contract: Resumable upload). */
export function createResumableUploads(deps: {
  files: Pick<FileStore, 'find'>;
  uploads: UploadStore;
  finisher: UploadFinisher;
  append: ReturnType<typeof createAppend>;
}) {
  const { files, uploads, finisher, append } = deps;

  /** Also ends an upload that has all its bytes and whose writer is gone. @throws 404 when there never was content */
  async function current(file: StoredFile): Promise<Current> {
    const upload = file.internal.uploadId === undefined ? undefined : await uploads.find(file.internal.uploadId);
    if (upload?.isCompleting) {
      const finished = await finisher.resume(upload);
      if (finished) return { file: finished, upload: undefined };
    }
    if (upload) return { file, upload };
    // It may have ended since the file was read.
    const fresh = file.internal.uploadId === undefined ? file : await files.find(file._id);
    if (!fresh?._fileVersion) throw commonErrors.notFound();
    return { file: fresh, upload: undefined };
  }

  return {
    /** How far the upload is, in bytes. @throws 404 for a folder, or a file without content or upload */
    async progress(file: StoredFile): Promise<{ offset: number; length: number }> {
      const { file: fresh, upload } = await current(file);
      const length = upload?.size ?? fresh._fileVersion!._fileSize;
      return { offset: upload?.offset ?? length, length };
    },

    /**
     * Adds bytes to the upload. After its end an empty request is answered as the last one was.
     * @throws 404, 409 for another offset, 423 while another writes, 400 for too many bytes or another checksum
     */
    async append(file: StoredFile, appending: Appending): Promise<Appended> {
      const { file: fresh, upload } = await current(file);
      const length = upload?.size ?? fresh._fileVersion!._fileSize;
      const offset = upload?.offset ?? length;
      assertSameChecksum(appending.checksum, upload?.checksum ?? fresh._uploadMeta?._checksum);
      if (appending.offset !== undefined && appending.offset !== offset) throw errors.wrongOffset();
      if (offset + (appending.length ?? 0) > length) throw errors.tooManyBytes();
      if (upload) return append(fresh, upload, appending.body);
      for await (const chunk of appending.body.iterator({ destroyOnReturn: false })) {
        if ((chunk as Buffer).length > 0) throw errors.tooManyBytes();
      }
      return { file: shown(fresh), offset };
    },

    /** Ends the upload; nothing of it stays. @throws 404 when none is under way */
    async cancel(file: StoredFile): Promise<{ file: File; hadBytes: boolean }> {
      const upload = file.internal.uploadId === undefined ? undefined : await uploads.find(file.internal.uploadId);
      if (!upload || !(await uploads.cancel(upload))) throw commonErrors.notFound();
      return {
        file: inUpload(shown(file), upload),
        hadBytes: upload.offset > 0 || upload.status !== 'UPLOAD_INITIATED',
      };
    },
  };
}

function assertSameChecksum(sent: string | undefined, kept: string | undefined): void {
  if (sent !== undefined && kept !== undefined && !isSameChecksum(sent, kept)) throw errors.otherChecksum();
}
