import type { Objects, SentParts } from '../content/objects.js';
import { errors } from '../errors.js';
import type { UploadWriter } from './upload-writer.store.js';
import { MAX_UNRECORDED, tailKey } from './upload.js';
import type { PartRecord, Upload } from './upload.js';

/**
 * Records parts in order, even if they are stored out of order. Later parts are stored while earlier ones are recorded.
 */
export function createPartRecorder(
  deps: { uploadWriter: Pick<UploadWriter, 'setMultipart' | 'addPart'>; objects: Pick<Objects, 'multipart'> },
  held: Upload,
) {
  const { uploadWriter, objects } = deps;
  const { key, contentType, contentEncoding } = held;
  const parts = [...held.parts];
  let offset = held.offset - (held.tail?.size ?? 0);
  let nextPartNumber = held.nextPartNumber;
  let { multipartId } = held;
  let beginning: Promise<string> | undefined;
  /** The latest records, in order. The first one records the multipart upload. */
  const records: Promise<void>[] = [];

  const recordNext = (recording: Promise<void>) => {
    // Failures surface in the next part and in `settle`.
    recording.catch(() => undefined);
    records.push(recording);
    if (records.length > MAX_UNRECORDED) void records.shift();
  };

  function begin(): Promise<string> {
    const begun = objects.multipart.begin(key, { contentType, contentEncoding });
    recordNext(begun.then((id) => uploadWriter.setMultipart(held, id)));
    return begun.then((id) => (multipartId = id));
  }

  async function store(partNumber: number, bytes: Buffer, turn: Promise<void> | undefined): Promise<PartRecord> {
    const target = multipartId ?? (await (beginning ??= begin()));
    await turn;
    const { etag } = await objects.multipart.uploadPart(key, target, partNumber, bytes);
    return { partNumber, etag, size: bytes.length };
  }

  async function record(stored: Promise<PartRecord>, before: Promise<void> | undefined): Promise<void> {
    const part = await stored;
    await before;
    await uploadWriter.addPart(held, part, offset + part.size);
    offset += part.size;
    parts.push(part);
  }

  return {
    parts,
    get offset() {
      return offset;
    },
    get nextPartNumber() {
      return nextPartNumber;
    },
    get multipartId() {
      return multipartId;
    },
    /** Resolves once the part is stored. */
    async send(bytes: Buffer): Promise<void> {
      const stored = store(nextPartNumber++, bytes, records.at(-MAX_UNRECORDED));
      recordNext(record(stored, records.at(-1)));
      await stored;
    },
    /**
     * Resolves once all sent parts are recorded.
     * @throws when one could not be
     */
    settle: async (): Promise<void> => records.at(-1),
    /**
     * Stores the last part, if any, without recording it.
     * @returns all parts
     */
    async storeLast(bytes: Buffer): Promise<PartRecord[]> {
      const last = bytes.length > 0 ? [await store(nextPartNumber++, bytes, undefined)] : [];
      await records.at(-1);
      return [...parts, ...last];
    },
  };
}

export type PartRecorder = ReturnType<typeof createPartRecorder>;

/**
 * Ends a request before the end of the content. Its last bytes become a short part or, if too few, a tail: an object
 * that the next request starts with.
 * @returns the durable offset
 */
export async function keepRest(
  { uploadWriter, objects }: { uploadWriter: UploadWriter; objects: Objects },
  held: Upload,
  recorder: PartRecorder,
  { rest, total }: SentParts,
): Promise<number> {
  // The request may break while the tail is read.
  const isNothingNew = total <= (held.tail?.size ?? 0);
  if (isNothingNew) {
    if (!(await uploadWriter.interrupt(held, {}))) throw errors.uploadTakenOver();
    return held.offset;
  }
  const looseTails = await deleteLooseTails(objects, held);
  await recorder.settle();
  const tail = await storeRest(objects, held, recorder, rest);
  const offset = recorder.offset + (tail?.size ?? 0);
  if (held.tail) looseTails.push(held.tail.fence);
  if (!(await uploadWriter.interrupt(held, { offset, tail, looseTails }))) throw errors.uploadTakenOver();
  return offset;
}

async function storeRest(
  objects: Objects,
  held: Upload,
  recorder: PartRecorder,
  rest: Buffer,
): Promise<Upload['tail']> {
  if (rest.length === 0) return undefined;
  if (mayEndPart(objects, held, recorder, rest.length)) {
    await recorder.send(rest);
    await recorder.settle();
    return undefined;
  }
  await objects.put(tailKey(held._id, held.lease.fence), rest);
  return { fence: held.lease.fence, size: rest.length };
}

/** A part may be short if it is large enough and the remaining part numbers suffice for the rest. */
function mayEndPart(
  { multipart }: Objects,
  { size, partBytes }: Upload,
  { nextPartNumber, offset }: PartRecorder,
  bytes: number,
): boolean {
  const partsNeeded = Math.ceil((size - offset) / partBytes) + MAX_UNRECORDED;
  return bytes >= multipart.minPartBytes && multipart.maxParts - nextPartNumber > partsNeeded;
}

/**
 * A tail is loose until the request after the one that included it.
 * @returns the tails that could not be deleted
 */
async function deleteLooseTails(objects: Objects, { _id, looseTails }: Upload): Promise<number[]> {
  const left: number[] = [];
  for (const fence of looseTails) {
    await objects.delete(tailKey(_id, fence)).catch(() => left.push(fence));
  }
  return left;
}
