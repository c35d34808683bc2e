import { errors } from '../../errors.js';
import type { Objects, SentParts } from '../content/ports.js';
import type { PartRecorder } from './part-recorder.js';
import type { UploadStore } from './ports.js';
import { MAX_UNRECORDED, tailKey } from './upload.js';
import type { Upload } from './upload.js';

/**
 * Ends a request before the end of the content. Its last bytes become a part that ends early or, if they are too few, an
 * object of their own that the next request starts with.
 * @returns the offset that is durable now
 */
export async function keepRest(
  { uploadStore, objects }: { uploadStore: UploadStore; objects: Objects },
  held: Upload,
  recorder: PartRecorder,
  { rest, total }: SentParts,
): Promise<number> {
  // Fewer bytes: the request broke off while the tail was read.
  const isNothingNew = total <= (held.tail?.size ?? 0);
  if (isNothingNew) {
    if (!(await uploadStore.interrupt(held, {}))) throw errors.uploadTakenOver();
    return held.offset;
  }
  const looseTails = await deleteLooseTails(objects, held);
  await recorder.settle();
  const tail = await storeRest(objects, held, recorder, rest);
  const offset = recorder.offset + (tail?.size ?? 0);
  if (held.tail) looseTails.push(held.tail.fence);
  if (!(await uploadStore.interrupt(held, { offset, tail, looseTails }))) throw errors.uploadTakenOver();
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

/** A part may end early if it is large enough and the remaining part numbers suffice for the rest in full parts. */
function mayEndPart(
  { multipart }: Objects,
  { size, partBytes }: Upload,
  { nextPartNumber, offset }: PartRecorder,
  bytes: number,
): boolean {
  const partsNeeded = Math.ceil((size - offset) / partBytes) + MAX_UNRECORDED;
  return bytes >= multipart.minPartBytes && multipart.maxParts - nextPartNumber > partsNeeded;
}

/** Returns the tails that could not be deleted. A tail is loose until the request after the one that included it. */
async function deleteLooseTails(objects: Objects, { _id, looseTails }: Upload): Promise<number[]> {
  const left: number[] = [];
  for (const fence of looseTails) {
    await objects.delete(tailKey(_id, fence)).catch(() => left.push(fence));
  }
  return left;
}
