import type { ObjectStore } from '@dtplatform/object-store';
import type { FileCache, WriteRequest } from '../../domain/filestore/ports.js';

/** Loaded files in the object store. */
export const createFileCache = (objects: ObjectStore): FileCache => ({
  write: (request) => write(objects, request).finally(() => request.content.stream.destroy()),
  discard: (key, multipartId) => objects.multipart.abort(key, multipartId),
});

async function write(objects: ObjectStore, { key, content, size, ...options }: WriteRequest): Promise<void> {
  const { stream, contentType, contentEncoding } = content;
  await objects.putStream(key, stream, {
    ...options,
    contentType,
    contentEncoding,
    expectedBytes: size,
    caller: key,
    maxBytes: size,
    verify({ end, total, error }) {
      if (end === 'cut') throw error;
      if (end === 'too-long' || total < size) throw new Error(`The content does not have the expected ${size} bytes.`);
    },
  });
}
