import type { Readable } from 'node:stream';

interface ObjectInfo {
  contentType?: string;
  contentEncoding?: string;
}

export interface ObjectBytes {
  stream: Readable;
  length: number;
  size: number;
}

/** How a streamed body ended. `cut`: it broke off. `too-long`: it has more than the allowed bytes. */
type BodyEnd = 'complete' | 'cut' | 'too-long';

export interface SentParts {
  /** Bytes of head and body. */
  total: number;
  /** The last bytes, which do not fill a part. */
  rest: Buffer;
  end: BodyEnd;
}

interface PutStreamOptions extends ObjectInfo {
  expectedBytes?: number;
  /** Who sends the content. */
  caller: string;
  maxBytes: number;
  /** Checks what arrived before the object is made. Throw to leave no object. */
  verify: (received: SentParts) => void;
  /** Called before the first part is sent. */
  onMultipart: (multipartId: string) => Promise<void>;
  /** Called after each part. */
  onPart: () => Promise<void>;
}

interface SendPartsOptions {
  body: Readable;
  /** Bytes to send before those of the body. */
  head?: () => Promise<Readable>;
  partBytes: number;
  /** The most bytes that head and body may have together. */
  maxBytes: number;
  /** Who sends the body. */
  caller: string;
  /** Stores one full part. Bytes that end exactly at `maxBytes` are not sent: they are the `rest`. */
  send: (part: Buffer) => Promise<void>;
  onBytes: (bytes: Buffer) => void;
}

/**
 * The object store. Streaming holds at most two parts in memory. All uploads share one budget for them and wait for one
 * another, each caller in turn; back-pressure reaches the sender.
 */
export interface Objects {
  put(key: string, body: Buffer, options?: ObjectInfo): Promise<unknown>;
  /** Streams a body into one object, which is stored whole or not at all. Returns the number of bytes. */
  putStream(key: string, body: Readable, options: PutStreamOptions): Promise<number>;
  /** Cuts a body into parts, sends them, and calls `then` once all of them have settled. */
  sendParts<T>(options: SendPartsOptions, then: (sent: SentParts) => Promise<T>): Promise<T>;
  get(key: string, options?: { range?: { start: number; end?: number }; signal?: AbortSignal }): Promise<ObjectBytes>;
  delete(key: string): Promise<void>;
  presignGet(key: string, options: ObjectInfo & { expiresInSec: number; filename: string }): Promise<string>;
  multipart: {
    minPartBytes: number;
    maxParts: number;
    /** The part size for content of `size` bytes. */
    partBytesFor(size: number): number;
    begin(key: string, info?: ObjectInfo): Promise<string>;
    uploadPart(key: string, multipartId: string, partNumber: number, body: Buffer): Promise<{ etag: string }>;
    complete(
      key: string,
      multipartId: string,
      parts: readonly { partNumber: number; etag: string }[],
    ): Promise<unknown>;
  };
}
