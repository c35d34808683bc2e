import type { UploadOptions as TusOptions } from 'tus-js-client';
import { sizeOf } from './upload-content.js';
import type { ReadableContent } from './upload-content.js';

/** Node.js cannot send Blobs, so they are read into memory in parts. */
const BLOB_CHUNK_BYTES = 16 * 1024 * 1024;

/** How the tus client reads the content. */
export function sourceOptions(content: ReadableContent): Pick<TusOptions, 'fileReader' | 'chunkSize'> {
  const size = sizeOf(content);
  const slice = async (start: number, end: number) => {
    const until = Math.min(end, size);
    const value = await readPart(content, start, until);
    return { value: Object.assign(value, 'size' in value ? {} : { size: until - start }), done: until >= size };
  };
  const chunkSize = content instanceof Blob && isNode() ? BLOB_CHUNK_BYTES : Infinity;
  return { chunkSize, fileReader: { openFile: async () => ({ size, slice, close: () => undefined }) } };
}

async function readPart(content: ReadableContent, start: number, end: number): Promise<object> {
  if ('read' in content) return content.read(start, end);
  if (content instanceof Uint8Array) return content.subarray(start, end);
  const part = content.slice(start, end);
  return isNode() ? new Uint8Array(await part.arrayBuffer()) : part;
}

const isNode = () => !('XMLHttpRequest' in globalThis);
