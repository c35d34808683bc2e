/** Content that is read in parts, such as a file on disk. */
export interface UploadSource {
  size: number;
  /** The bytes from `start` up to `end`, as an object that the environment's HTTP client can send. */
  read(start: number, end: number): object | Promise<object>;
}

export type UploadContent = Blob | Uint8Array | UploadSource;

/** In bytes. */
export const sizeOf = (content: UploadContent): number => ('byteLength' in content ? content.byteLength : content.size);
