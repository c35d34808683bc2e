import { buffer } from 'node:stream/consumers';
import { commonErrors } from '@dtplatform/errors';
import { isObjectMissing } from '@dtplatform/object-store';
import type { ObjectStore } from '@dtplatform/object-store';
import { objectKey } from '../../domain/filestore/load.js';
import type { FileCache, WriteRequest } from '../../domain/filestore/ports.js';

/** For one short range. */
const READ_TIMEOUT_MS = 30_000;

/** Loaded files in the object store. */
export const createFileCache = (objects: ObjectStore): FileCache => ({
  write: (request) => write(objects, request).finally(() => request.content.stream.destroy()),
  discard: (key, multipartId) => objects.multipart.abort(key, multipartId),
  async read(version, { start, end }, signal) {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(READ_TIMEOUT_MS)]);
    try {
      const { stream } = await objects.get(objectKey(version), { range: { start, end }, signal: limited });
      return await buffer(stream);
    } catch (error) {
      signal.throwIfAborted();
      if (limited.aborted) throw commonErrors.unavailable({ cause: error });
      if (isObjectMissing(error)) return undefined;
      throw error;
    }
  },
  async remove(load) {
    const key = objectKey(load);
    const { multipartId } = load._work;
    if (multipartId !== undefined) await objects.multipart.abort(key, multipartId);
    await objects.delete(key);
  },
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
