import { errors } from '../../errors.js';
import { tailKey } from '../object-keys.js';
import type { Objects, UploadStore } from '../ports.js';
import type { PartRecorder } from './part-recorder.js';
import type { SentParts } from './send-parts.js';
import { mayEndPart, MIN_PART_BYTES } from './upload.js';
import type { HeldUpload, Upload } from './upload.js';

/**
 * Ends a request before the end of the content: its last bytes become a part that ends early, or, when they are too few,
 * an object of their own that the next request begins with.
 * @returns the offset that is durable now
 */
export async function keepRest(
  { uploads, objects }: { uploads: UploadStore; objects: Objects },
  held: HeldUpload,
  recorder: PartRecorder,
  { rest, total }: SentParts,
): Promise<number> {
  const isNothingNew = total === (held.tail?.size ?? 0);
  if (isNothingNew) {
    if (!(await uploads.interrupt(held, {}))) throw errors.uploadTakenOver();
    return held.offset;
  }
  const looseTails = await deleteLooseTails(objects, held);
  await recorder.settle();
  const tail = await storeRest(objects, held, recorder, rest);
  const offset = recorder.offset + (tail?.size ?? 0);
  if (held.tail) looseTails.push(held.tail.fence);
  if (!(await uploads.interrupt(held, { offset, tail, looseTails }))) throw errors.uploadTakenOver();
  return offset;
}

async function storeRest(
  objects: Objects,
  { _id, fence, size, partBytes }: HeldUpload,
  recorder: PartRecorder,
  rest: Buffer,
): Promise<Upload['tail']> {
  if (rest.length === 0) return undefined;
  if (rest.length >= MIN_PART_BYTES && mayEndPart(recorder.nextPartNumber, size - recorder.offset, partBytes)) {
    await recorder.send(rest);
    await recorder.settle();
    return undefined;
  }
  await objects.put(tailKey(_id, fence), rest);
  return { fence, size: rest.length };
}

/** Gives those that could not be deleted. A tail is loose until the request after the one that took it in. */
async function deleteLooseTails(objects: Objects, { _id, looseTails }: HeldUpload): Promise<number[]> {
  const left: number[] = [];
  for (const fence of looseTails) {
    await objects.delete(tailKey(_id, fence)).catch(() => left.push(fence));
  }
  return left;
}
