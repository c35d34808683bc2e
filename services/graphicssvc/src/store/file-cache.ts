import type { ObjectStore, UploadedPart } from '@dtplatform/object-store';
import type { FileCache, WriteRequest } from '../domain/ports.js';
import { partsOf } from './parts-of.js';

const MIN_PART_BYTES = 8 * 1024 * 1024;
/** S3 takes 10 000. */
const MAX_PARTS = 9_000;

/** Loaded files in the object store. */
export function createFileCache(objects: ObjectStore): FileCache {
  const { multipart } = objects;

  /** One part is on its way while the next one fills. All have settled when this has. */
  async function sendParts(request: WriteRequest, partBytes: number, multipartId: string): Promise<UploadedPart[]> {
    const { key, content, size, signal } = request;
    const sent: UploadedPart[] = [];
    let total = 0;
    let onItsWay = Promise.resolve();
    const send = async (part: Buffer[], partNumber: number) => {
      sent.push({ partNumber, ...(await multipart.uploadPart(key, multipartId, partNumber, part, { signal })) });
    };
    try {
      for await (const part of partsOf(content.stream, partBytes)) {
        await onItsWay;
        total += lengthOf(part);
        onItsWay = send(part, sent.length + 1);
        // It is awaited below; until then its failure is no unhandled one.
        onItsWay.catch(() => undefined);
      }
    } finally {
      await onItsWay;
    }
    assertSize(total, size);
    return sent;
  }

  async function writeInParts(request: WriteRequest, partBytes: number): Promise<void> {
    const { key, content, onMultipart } = request;
    const multipartId = await multipart.begin(key, content);
    try {
      await onMultipart(multipartId);
      await multipart.complete(key, multipartId, await sendParts(request, partBytes, multipartId));
    } catch (error) {
      await multipart.abort(key, multipartId).catch(() => undefined);
      throw error;
    }
  }

  async function writeWhole({ key, content, size, signal }: WriteRequest): Promise<void> {
    const { contentType, contentEncoding } = content;
    const pieces: Buffer[] = [];
    for await (const part of partsOf(content.stream, MIN_PART_BYTES)) pieces.push(...part);
    assertSize(lengthOf(pieces), size);
    await objects.put(key, Buffer.concat(pieces), { contentType, contentEncoding, signal });
  }

  return {
    async write(request) {
      const partBytes = Math.max(MIN_PART_BYTES, Math.ceil(request.size / MAX_PARTS));
      try {
        await (request.size <= MIN_PART_BYTES ? writeWhole(request) : writeInParts(request, partBytes));
      } finally {
        request.content.stream.destroy();
      }
    },
    discard: (key, multipartId) => multipart.abort(key, multipartId),
  };
}

const lengthOf = (buffers: Buffer[]) => buffers.reduce((total, { length }) => total + length, 0);

function assertSize(bytes: number, expected: number): void {
  if (bytes !== expected) throw new Error(`${bytes} bytes came where ${expected} were to come`);
}
