import type { Readable } from 'node:stream';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import type { File } from '../files/file.js';
import type { FileStore } from '../files/files.store.js';
import { appendUpload } from './append-upload.js';
import type { Appended } from './append-upload.js';
import { sameChecksums } from './checksum.js';
import { initiateUpload } from './initiate-upload.js';
import type { InitiateDeps, NewUpload } from './initiate-upload.js';
import { fileInUpload } from './upload.js';
import type { AppendedBytes, Upload } from './upload.js';

export interface Appending extends AppendedBytes {
  body: Readable;
  /** Uploads of several callers take turns. */
  caller: string;
}

/** `upload` is undefined once the file is complete. */
interface Current {
  file: File;
  upload: Upload | undefined;
}

interface Deps extends InitiateDeps {
  fileStore: Pick<FileStore, 'find'>;
}

export type Uploads = ReturnType<typeof createUploads>;

/** docs/contract.md, "Resumable upload". */
export function createUploads(deps: Deps) {
  const { fileStore, uploadStore, uploadWriter, finisher } = deps;

  const find = ({ internal: { uploadId } }: File): Promise<Upload | undefined> =>
    uploadId === undefined ? Promise.resolve(undefined) : uploadStore.find(uploadId);

  /**
   * Also completes an upload whose writer died after the last byte.
   * @throws 404 without content and upload
   */
  async function current(file: File): Promise<Current & { length: number; offset: number }> {
    let upload = await find(file);
    let fresh: File | undefined = file;
    const finished = upload?.isCompleting ? await finisher.resume(upload) : undefined;
    if (finished) [fresh, upload] = [finished, undefined];
    // The upload may have completed since the file was read.
    else if (!upload && file.internal.uploadId !== undefined) fresh = await fileStore.find(file._id);
    const length = upload?.size ?? fresh?._fileVersion?._fileSize;
    if (!fresh || length === undefined) throw commonErrors.notFound();
    return { file: fresh, upload, length, offset: upload?.offset ?? length };
  }

  return {
    initiate: (request: NewUpload, access: Access): Promise<File> => initiateUpload(deps, request, access),

    /** @throws 404 for a folder, or a file without content and upload */
    async progress(file: File): Promise<{ offset: number; length: number }> {
      const { offset, length } = await current(file);
      return { offset, length };
    },

    /**
     * After completion, an empty request gets the last response again.
     * @throws 404, 409 for another offset, 423 while another writer holds the lease, 400 for too many bytes or another
     * checksum
     */
    async append(file: File, { body, caller, ...said }: Appending): Promise<Appended> {
      const { offset: from, length: bytes = 0, checksum } = said;
      const { uploadId } = file.internal;
      const claim = async () => (uploadId === undefined ? undefined : uploadWriter.claimFor(uploadId, said));
      const held = await claim();
      if (held) return appendUpload(deps, file, held, { body, caller });
      const { file: fresh, upload, length, offset } = await current(file);
      assertSameChecksum(checksum, upload?.checksum ?? fresh._uploadMeta?._checksum);
      if (from !== undefined && from !== offset) throw errors.wrongOffset();
      if (offset + bytes > length) throw errors.tooManyBytes();
      if (upload) {
        // Another writer holds or completes it, unless it has released it since.
        const released = await claim();
        if (!released) throw errors.uploadLocked();
        return appendUpload(deps, file, released, { body, caller });
      }
      for await (const chunk of body.iterator({ destroyOnReturn: false })) {
        if ((chunk as Buffer).length > 0) throw errors.tooManyBytes();
      }
      return { file: fresh, offset };
    },

    /** @throws 404 when there is no unfinished upload */
    async cancel(file: File): Promise<{ file: File; hadBytes: boolean }> {
      const upload = await find(file);
      if (!upload || !(await uploadStore.cancel(upload))) throw commonErrors.notFound();
      return { file: fileInUpload(file, upload), hadBytes: upload.offset > 0 || upload.status !== 'UPLOAD_INITIATED' };
    },
  };
}

function assertSameChecksum(sent: string | undefined, kept: string | undefined): void {
  if (sent !== undefined && kept !== undefined && !sameChecksums(sent).includes(kept)) throw errors.otherChecksum();
}
