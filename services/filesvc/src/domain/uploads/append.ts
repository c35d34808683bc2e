import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { AppError } from '@dtplatform/errors';
import { errors } from '../../errors.js';
import { expectedOf, startHash } from '../checksum.js';
import { shown } from '../file.js';
import type { File, StoredFile } from '../file.js';
import { tailKey } from '../object-keys.js';
import type { Objects, UploadStore } from '../ports.js';
import type { UploadFinisher } from './finish-upload.js';
import { keepRest } from './keep-rest.js';
import { keepLease } from './keep-lease.js';
import type { KeptLease } from './keep-lease.js';
import { createPartRecorder } from './part-recorder.js';
import type { PartRecorder } from './part-recorder.js';
import { sendParts } from './send-parts.js';
import type { SendPartsOptions, SentParts } from './send-parts.js';
import type { PartBuffers } from './part-buffers.js';
import { inUpload } from './upload.js';
import type { HeldUpload, Upload } from './upload.js';

export interface Appended {
  file: File;
  /** Bytes that are durable now. */
  offset: number;
}

interface Parts {
  uploads: UploadStore;
  objects: Objects;
  finisher: UploadFinisher;
  buffers: PartBuffers;
}

/** Takes in the bytes of one request. What does not fill the upload is kept, however the request ends. */
export const createAppend =
  (deps: Parts) =>
  /** @throws 423 while another writes, 409 when the writer was overtaken, 400 for too many bytes or a wrong checksum */
  async (file: StoredFile, upload: Upload, body: Readable): Promise<Appended> => {
    const { uploads } = deps;
    const held = await uploads.acquire(upload._id, upload.offset);
    if (!held) throw errors.uploadLocked();
    const lease = keepLease(uploads, held);
    try {
      return await write(deps, { file, held, lease, body });
    } catch (error) {
      const wasHeld = await uploads.interrupt(held, {}, true).catch(() => true);
      throw wasHeld || error instanceof AppError ? error : errors.uploadTakenOver({ cause: error });
    } finally {
      lease.stop();
    }
  };

interface Writing {
  file: StoredFile;
  held: HeldUpload;
  lease: KeptLease;
  body: Readable;
}

async function write(deps: Parts, { file, held, lease, body }: Writing): Promise<Appended> {
  const { uploads, objects, finisher } = deps;
  const recorder = createPartRecorder(deps, held);
  const expected = held.offset === 0 ? expectedOf(held.checksum) : undefined;
  const hash = expected && startHash(expected.algorithm);
  const startOfParts = recorder.offset;

  const incoming: SendPartsOptions = {
    body,
    head: held.tail && (await readTail(objects, held)),
    partBytes: held.partBytes,
    maxBytes: held.size - startOfParts,
    send: async (part) => {
      await recorder.send(part);
      lease.moved();
    },
    onBytes: (bytes) => {
      hash?.update(bytes);
      lease.moved();
    },
    buffers: deps.buffers,
  };

  async function end(sent: SentParts): Promise<Appended> {
    lease.finishing();
    if (sent.end === 'too-long') return refuseAll(uploads, held, recorder);
    if (startOfParts + sent.total < held.size) {
      return { file: inUpload(shown(file), interrupted(held)), offset: await keepRest(deps, held, recorder, sent) };
    }
    const isWhole = recorder.nextPartNumber === held.nextPartNumber && held.parts.length === 0;
    const finished = isWhole
      ? await finisher.finishWhole(held, sent.rest)
      : await finisher.finishParts(await allParts(held, recorder, sent.rest), hash);
    return { file: shown(finished), offset: held.size };
  }

  try {
    return await sendParts(incoming, end);
  } catch (error) {
    // What was stored until then counts.
    await recorder.settle().catch(() => undefined);
    throw error;
  }
}

/** The upload is again what it was before the request. @throws 400 */
async function refuseAll(uploads: UploadStore, held: HeldUpload, recorder: PartRecorder): Promise<never> {
  await recorder.settle();
  const { status, parts, offset, tail, looseTails } = held;
  await uploads.interrupt(held, { status, parts, offset, tail, looseTails });
  throw errors.tooManyBytes();
}

/** The upload as it is with its last part, which counts only when the upload is complete. */
async function allParts(held: HeldUpload, recorder: PartRecorder, rest: Buffer): Promise<HeldUpload> {
  const parts = await recorder.storeLast(rest);
  return { ...held, parts, multipartId: recorder.multipartId };
}

async function readTail(objects: Objects, { _id, tail }: HeldUpload): Promise<Buffer> {
  const { stream } = await objects.get(tailKey(_id, tail!.fence));
  const bytes = await buffer(stream);
  if (bytes.length !== tail!.size) throw new Error('The object of a tail has not the size that was noted.');
  return bytes;
}

const interrupted = (held: HeldUpload): Upload => ({ ...held, status: 'UPLOAD_INTERRUPTED' });
