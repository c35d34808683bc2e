import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { AppError } from '@dtplatform/errors';
import { errors } from '../../errors.js';
import type { Objects, SentParts } from '../content/ports.js';
import { showFile } from '../files/file.js';
import type { File, ShownFile } from '../files/file.js';
import { expectedOf, startHash } from './checksum.js';
import type { UploadFinisher } from './finish-upload.js';
import { keepLease } from './keep-lease.js';
import type { KeptLease } from './keep-lease.js';
import { keepRest } from './keep-rest.js';
import { createPartRecorder } from './part-recorder.js';
import type { PartRecorder } from './part-recorder.js';
import type { UploadStore } from './ports.js';
import { showInUpload, tailKey } from './upload.js';
import type { HeldUpload, Upload } from './upload.js';

export interface Appended {
  file: ShownFile;
  /** Bytes that are durable now. */
  offset: number;
}

interface Deps {
  uploadStore: UploadStore;
  objects: Objects;
  finisher: UploadFinisher;
}

/**
 * Stores the bytes of one request. Bytes that do not complete the upload are kept, however the request ends.
 * @throws 423 while another writer holds the lease, 409 when another writer took it over, 400 for too many bytes or a wrong
 * checksum
 */
export async function appendUpload(deps: Deps, file: File, upload: Upload, body: Readable): Promise<Appended> {
  const { uploadStore } = deps;
  const held = await uploadStore.acquire(upload._id, upload.offset);
  if (!held) throw errors.uploadLocked();
  const lease = keepLease(uploadStore, held);
  try {
    return await write(deps, { file, held, lease, body });
  } catch (error) {
    const wasHeld = await uploadStore.interrupt(held, {}, true).catch(() => true);
    throw wasHeld || error instanceof AppError ? error : errors.uploadTakenOver({ cause: error });
  } finally {
    lease.stop();
  }
}

interface Writing {
  file: File;
  held: HeldUpload;
  lease: KeptLease;
  body: Readable;
}

async function write(deps: Deps, { file, held, lease, body }: Writing): Promise<Appended> {
  const { uploadStore, objects, finisher } = deps;
  const recorder = createPartRecorder(deps, held);
  const expected = held.offset === 0 ? expectedOf(held.checksum) : undefined;
  const hash = expected && startHash(expected.algorithm);
  const startOfParts = recorder.offset;

  const incoming = {
    body,
    head: held.tail && (await readTail(objects, held)),
    partBytes: held.partBytes,
    maxBytes: held.size - startOfParts,
    send: async (part: Buffer) => {
      await recorder.send(part);
      lease.moved();
    },
    onBytes: (bytes: Buffer) => {
      hash?.update(bytes);
      lease.moved();
    },
  };

  async function end(sent: SentParts): Promise<Appended> {
    lease.finishing();
    if (sent.end === 'too-long') return rejectBytes(uploadStore, held, recorder);
    if (startOfParts + sent.total < held.size) {
      const offset = await keepRest(deps, held, recorder, sent);
      return { file: showInUpload(file, { ...held, status: 'UPLOAD_INTERRUPTED' }), offset };
    }
    const isWhole = recorder.nextPartNumber === held.nextPartNumber && held.parts.length === 0;
    const finished = isWhole
      ? await finisher.finishWhole(held, sent.rest)
      : await finisher.finishParts(await withLastPart(held, recorder, sent.rest), hash);
    return { file: showFile(finished), offset: held.size };
  }

  try {
    return await objects.sendParts(incoming, end);
  } catch (error) {
    // The parts stored so far count.
    await recorder.settle().catch(() => undefined);
    throw error;
  }
}

/** Restores the upload to its state before the request. @throws 400 */
async function rejectBytes(uploadStore: UploadStore, held: HeldUpload, recorder: PartRecorder): Promise<never> {
  await recorder.settle();
  const { status, parts, offset, tail, looseTails } = held;
  await uploadStore.interrupt(held, { status, parts, offset, tail, looseTails });
  throw errors.tooManyBytes();
}

/** The upload including its last part, which counts only once the upload is complete. */
async function withLastPart(held: HeldUpload, recorder: PartRecorder, rest: Buffer): Promise<HeldUpload> {
  const parts = await recorder.storeLast(rest);
  return { ...held, parts, multipartId: recorder.multipartId };
}

async function readTail(objects: Objects, { _id, tail }: HeldUpload): Promise<Buffer> {
  const { stream } = await objects.get(tailKey(_id, tail!.fence));
  const bytes = await buffer(stream);
  if (bytes.length !== tail!.size) throw new Error('The object of a tail does not have the recorded size.');
  return bytes;
}
