/** Content that is read in parts, such as a file on disk. */
export interface UploadSource {
  size: number;
  /** The bytes from `start` up to `end`, as an object that the environment's HTTP client can send. */
  read(start: number, end: number): object | Promise<object>;
}

export type UploadContent = string | ReadableContent;

/** What is read in parts. */
export type ReadableContent = Blob | Uint8Array | UploadSource;

/** Text becomes UTF-8. */
export const readable = (content: UploadContent): ReadableContent =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content;

/** In bytes. */
export const sizeOf = (content: ReadableContent): number =>
  'byteLength' in content ? content.byteLength : content.size;
