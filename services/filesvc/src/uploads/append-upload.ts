import type { Readable } from 'node:stream';
import { AppError } from '@dtplatform/errors';
import type { Objects, SentParts } from '../content/objects.js';
import { errors } from '../errors.js';
import type { File } from '../files/file.js';
import { expectedOf, startHash } from './checksum.js';
import type { UploadFinisher } from './finish-upload.js';
import { createPartRecorder, keepRest } from './parts.js';
import type { PartRecorder } from './parts.js';
import type { UploadWriter } from './upload-writer.store.js';
import { fileInUpload, tailKey } from './upload.js';
import type { Upload } from './upload.js';

export interface Appended {
  file: File;
  offset: number;
}

interface Deps {
  uploadWriter: UploadWriter;
  objects: Objects;
  finisher: UploadFinisher;
}

export interface Incoming {
  body: Readable;
  caller: string;
}

/**
 * Stores the bytes of a request that holds the lease. Bytes that do not complete the upload are kept, however the
 * request ends.
 * @throws 409 when another writer took over, 400 for too many bytes or a wrong checksum
 */
export async function appendUpload(deps: Deps, file: File, held: Upload, incoming: Incoming): Promise<Appended> {
  const { uploadWriter } = deps;
  const progress: Progress = { hasMoved: true, isFinishing: false };
  const lease = uploadWriter.keep(held, () => {
    const { hasMoved, isFinishing } = progress;
    progress.hasMoved = false;
    return hasMoved || isFinishing;
  });
  try {
    return await write(deps, { file, held, progress, ...incoming });
  } catch (error) {
    const wasHeld = await uploadWriter.interrupt(held, {}, true).catch(() => true);
    throw wasHeld || error instanceof AppError ? error : errors.uploadTakenOver({ cause: error });
  } finally {
    lease.stop();
  }
}

interface Progress {
  /** Bytes have moved since the last heartbeat. */
  hasMoved: boolean;
  /** The rest may take long without moving bytes. */
  isFinishing: boolean;
}

interface Writing extends Incoming {
  file: File;
  held: Upload;
  progress: Progress;
}

async function write(deps: Deps, { file, held, progress, body, caller }: Writing): Promise<Appended> {
  const { uploadWriter, objects, finisher } = deps;
  const recorder = createPartRecorder(deps, held);
  const expected = held.offset === 0 ? expectedOf(held.checksum) : undefined;
  const hash = expected && (await startHash(expected.algorithm));
  const startOfParts = recorder.offset;

  const incoming = {
    body,
    caller,
    head: held.tail && (() => openTail(objects, held)),
    partBytes: held.partBytes,
    maxBytes: held.size - startOfParts,
    send: async (part: Buffer) => {
      await recorder.send(part);
      progress.hasMoved = true;
    },
    onBytes: (bytes: Buffer) => {
      hash?.update(bytes);
      progress.hasMoved = true;
    },
  };

  async function end(sent: SentParts): Promise<Appended> {
    progress.isFinishing = true;
    if (sent.end === 'too-long') return rejectBytes(uploadWriter, held, recorder);
    if (startOfParts + sent.total < held.size) {
      const offset = await keepRest(deps, held, recorder, sent);
      return { file: fileInUpload(file, { ...held, status: 'UPLOAD_INTERRUPTED' }), offset };
    }
    const isWhole = recorder.nextPartNumber === held.nextPartNumber && held.parts.length === 0;
    const finished = isWhole
      ? await finisher.finishWhole(held, sent.rest)
      : await finisher.finishParts(await withLastPart(held, recorder, sent.rest), hash);
    return { file: finished, offset: held.size };
  }

  try {
    return await objects.sendParts(incoming, end);
  } catch (error) {
    // Stored parts are kept.
    await recorder.settle().catch(() => undefined);
    throw error;
  }
}

/** Restores the upload to its state before the request. @throws 400 */
async function rejectBytes(uploadWriter: UploadWriter, held: Upload, recorder: PartRecorder): Promise<never> {
  await recorder.settle();
  const { status, parts, offset, tail, looseTails } = held;
  await uploadWriter.interrupt(held, { status, parts, offset, tail, looseTails });
  throw errors.tooManyBytes();
}

/** Includes the last part, which is recorded only once the upload completes. */
async function withLastPart(held: Upload, recorder: PartRecorder, rest: Buffer): Promise<Upload> {
  const parts = await recorder.storeLast(rest);
  return { ...held, parts, multipartId: recorder.multipartId };
}

async function openTail(objects: Objects, { _id, tail }: Upload): Promise<Readable> {
  const { stream, size } = await objects.get(tailKey(_id, tail!.fence));
  if (size === tail!.size) return stream;
  stream.destroy();
  throw new Error('The object of a tail does not have the recorded size.');
}
