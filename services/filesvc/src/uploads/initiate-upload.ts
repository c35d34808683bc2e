import type { Access } from '@dtplatform/permissions';
import type { Objects } from '../content/objects.js';
import { errors } from '../errors.js';
import { ownNew } from '../files/file-access.js';
import { retryOnNameConflict } from '../files/file-change.js';
import { versionKey } from '../files/file.js';
import type { File } from '../files/file.js';
import { newFile } from '../files/placement.js';
import type { Place, Placements } from '../files/placement.js';
import { expectedOf, startHash } from './checksum.js';
import type { UploadFinisher } from './finish-upload.js';
import type { UploadWriter } from './upload-writer.store.js';
import { fileInUpload, uploadMetaOf } from './upload.js';
import type { Upload } from './upload.js';
import type { UploadStore } from './uploads.store.js';

export interface NewUpload extends Place {
  /** The `nsfilter` of the call. */
  context: string;
  /** Undefined: an existing file keeps its tags. */
  tags: string[] | undefined;
  size: number;
  checksum: string;
  contentType: string;
  contentEncoding: string | undefined;
}

export interface InitiateDeps {
  uploadStore: UploadStore;
  uploadWriter: UploadWriter;
  objects: Objects;
  placements: Placements;
  finisher: UploadFinisher;
  newId: () => string;
  maxFileBytes: number;
}

/**
 * Replaces an unfinished upload of the same file.
 * @throws 400 for a bad place or checksum, 403, 409 while a writer holds the unfinished upload, 413
 */
export async function initiateUpload(deps: InitiateDeps, request: NewUpload, access: Access): Promise<File> {
  const { uploadStore, placements, newId } = deps;
  if (request.size > deps.maxFileBytes)
    throw errors.fileTooLarge({ message: `The file is larger than ${deps.maxFileBytes} bytes.` });
  await assertChecksum(request);
  const { file, upload } = await retryOnNameConflict(begin);
  if (request.size === 0) await finishEmpty(upload);
  return fileInUpload(file, upload);

  async function begin(): Promise<{ file: File; upload: Upload } | undefined> {
    const placement = await placements.decide(request, 'file', request.context, access);
    const upload = newUpload(deps, request, placement.existing?._id ?? newId(), access);
    const { status, author, tags = [] } = upload;
    const begun = placement.existing
      ? await uploadStore.beginAgain(upload)
      : await beginNew(newFile(upload.fileId, placement, 'file', { status, author, tags }), upload);
    return begun && { file: begun, upload };
  }

  async function beginNew(empty: File, upload: Upload): Promise<File> {
    const internal = { ...empty.internal, uploadId: upload._id };
    const created: File = { ...empty, _uploadMeta: uploadMetaOf(upload), internal };
    await ownNew(access, created);
    return uploadStore.beginNew(upload, created);
  }

  /** An upload of zero bytes completes without further requests. */
  async function finishEmpty(upload: Upload): Promise<void> {
    const held = await deps.uploadWriter.claim(upload);
    if (held) await deps.finisher.finishWhole(held, Buffer.alloc(0));
  }
}

/** @throws 400 for a malformed checksum, or a wrong one of zero bytes */
async function assertChecksum({ size, checksum }: NewUpload): Promise<void> {
  const expected = expectedOf(checksum);
  if (size > 0 || !expected) return;
  if (!(await startHash(expected.algorithm)).digest().equals(expected.digest)) throw errors.checksumMismatch();
}

function newUpload(deps: InitiateDeps, request: NewUpload, fileId: string, { principal }: Access): Upload {
  const { size, checksum, contentType, contentEncoding, tags } = request;
  const id = deps.newId();
  return {
    _id: id,
    fileId,
    status: 'UPLOAD_INITIATED',
    size,
    checksum,
    author: { id: principal.id, name: principal.name },
    ...(tags && { tags }),
    key: versionKey(id),
    restarts: 0,
    contentType,
    ...(contentEncoding !== undefined && { contentEncoding }),
    partBytes: deps.objects.multipart.partBytesFor(size),
    parts: [],
    nextPartNumber: 1,
    offset: 0,
    isCompleting: false,
    lease: { fence: 0 },
    looseTails: [],
    touchedAt: new Date(),
  };
}
