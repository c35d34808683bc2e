import { buffer } from 'node:stream/consumers';
import { commonErrors } from '@dtplatform/errors';
import { isObjectMissing } from '@dtplatform/object-store';
import type { ObjectStore } from '@dtplatform/object-store';
import { objectKey } from './load.js';
import type { Load, Version, WriteRequest } from './load.js';

const READ_TIMEOUT_MS = 30_000;

export const createFileCache = (objects: ObjectStore) => ({
  /**
   * Holds at most two parts in memory. Replaces the object atomically.
   * @throws when the content does not have the expected size
   */
  write: (request: WriteRequest): Promise<void> =>
    write(objects, request).finally(() => request.content.stream.destroy()),
  discard: (key: string, multipartId: string): Promise<void> => objects.multipart.abort(key, multipartId),
  /** The range includes both ends. Undefined when the content is gone. */
  async read(
    version: Version,
    { start, end }: { start: number; end: number },
    signal: AbortSignal,
  ): Promise<Buffer | undefined> {
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
  async remove(load: Load): Promise<void> {
    const key = objectKey(load);
    const { multipartId } = load._work;
    if (multipartId !== undefined) await objects.multipart.abort(key, multipartId);
    await objects.delete(key);
  },
});

export type FileCache = ReturnType<typeof createFileCache>;

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
