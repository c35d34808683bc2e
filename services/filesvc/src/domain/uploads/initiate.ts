import type { Access } from '@dtplatform/permissions';
import { errors } from '../../errors.js';
import { expectedOf, startHash } from '../checksum.js';
import { contentTypeOf } from '../content-type.js';
import { shown } from '../file.js';
import type { File, StoredFile } from '../file.js';
import { ownNew } from '../file-access.js';
import { versionKey } from '../object-keys.js';
import { newFile } from '../placement.js';
import type { Placements } from '../placement.js';
import type { Place } from '../name-keys.js';
import type { UploadStore } from '../ports.js';
import type { UploadFinisher } from './finish-upload.js';
import { inUpload, partBytesFor, uploadMetaOf } from './upload.js';
import type { Upload } from './upload.js';
import { whileNameMoves } from './while-name-moves.js';

export interface NewUpload extends Place {
  /** The call's `nsfilter`. */
  context: string;
  /** Undefined: an existing file keeps its own. */
  tags: string[] | undefined;
  /** Bytes. */
  size: number;
  checksum: string;
  /** The request's own; may say nothing of the file. */
  contentType: string | undefined;
  contentEncoding: string | undefined;
}

interface Parts {
  uploads: UploadStore;
  placements: Placements;
  finisher: UploadFinisher;
  newId: () => string;
  maxFileBytes: number;
}

const EMPTY = Buffer.alloc(0);

/** Begins the upload of a new file or of a new version, in place of one that is unfinished (contract: Resumable upload). */
export const createInitiate =
  (deps: Parts) =>
  /** @throws 400 for a bad place or checksum, 403 without the permission, 409 while a writer holds the unfinished upload */
  async (request: NewUpload, access: Access): Promise<File> => {
    await assertPossible(request, deps.maxFileBytes);
    const { file, upload } = await whileNameMoves(begin);
    if (request.size === 0) await finishEmpty(upload);
    return inUpload(shown(file), upload);

    async function begin(): Promise<{ file: StoredFile; upload: Upload } | undefined> {
      const placement = await deps.placements.decide(request, 'file', request.context, access);
      const upload = newUpload(request, deps.newId(), placement.existing?._id ?? deps.newId(), access);
      const file = placement.existing
        ? await deps.uploads.beginAgain(upload)
        : await beginNew(newFile(upload.fileId, placement, 'file', detailsOf(request, upload)), upload);
      return file && { file, upload };
    }

    async function beginNew(empty: StoredFile, upload: Upload): Promise<StoredFile> {
      const created: StoredFile = {
        ...empty,
        _uploadMeta: uploadMetaOf(upload),
        internal: { ...empty.internal, uploadId: upload._id },
      };
      await ownNew(access, created);
      await deps.uploads.beginNew(upload, created);
      await deps.placements.confirm(created);
      return created;
    }

    /** An upload of no bytes is complete before anything was sent. */
    async function finishEmpty({ _id, offset }: Upload): Promise<void> {
      const held = await deps.uploads.acquire(_id, offset);
      if (held) await deps.finisher.finishWhole(held, EMPTY);
    }
  };

const detailsOf = ({ tags }: NewUpload, { status, author }: Upload) => ({ status, author, tags: tags ?? [] });

async function assertPossible({ size, checksum }: NewUpload, maxFileBytes: number): Promise<void> {
  if (size > maxFileBytes) throw errors.fileTooLarge();
  const expected = expectedOf(checksum);
  if (size > 0 || !expected) return;
  if (!(await startHash(expected.algorithm).digest()).equals(expected.digest)) throw errors.checksumMismatch();
}

function newUpload(request: NewUpload, id: string, fileId: string, { principal }: Access): Upload {
  const { name, size, checksum, contentType, contentEncoding, tags } = request;
  return {
    _id: id,
    fileId,
    status: 'UPLOAD_INITIATED',
    size,
    checksum,
    author: { id: principal.id, name: principal.name },
    tags,
    key: versionKey(id),
    restarts: 0,
    contentType: contentTypeOf(name, contentType),
    contentEncoding,
    partBytes: partBytesFor(size),
    parts: [],
    nextPartNumber: 1,
    offset: 0,
    isCompleting: false,
    fence: 0,
    looseTails: [],
    touchedAt: new Date(),
  };
}
