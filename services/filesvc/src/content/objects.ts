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

/** `cut`: the connection broke. `too-long`: more than `maxBytes` arrived. */
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
  /** Uploads of several callers take turns. */
  caller: string;
  maxBytes: number;
  /** Runs before the object is created. Throw to create none. */
  verify: (received: SentParts) => void;
  onMultipart: (multipartId: string) => Promise<void>;
  onPart: () => Promise<void>;
}

interface SendPartsOptions {
  body: Readable;
  /** Bytes to send before those of the body. */
  head?: () => Promise<Readable>;
  partBytes: number;
  /** Maximum size of head and body together. */
  maxBytes: number;
  /** Uploads of several callers take turns. */
  caller: string;
  /** Stores one full part. A part that ends exactly at `maxBytes` is not sent: it is the `rest`. */
  send: (part: Buffer) => Promise<void>;
  onBytes: (bytes: Buffer) => void;
}

/**
 * Streaming holds at most two parts in memory. All uploads share one memory budget, each caller in turn; back-pressure
 * reaches the sender.
 */
export interface Objects {
  put(key: string, body: Buffer, options?: ObjectInfo): Promise<unknown>;
  /**
   * Stores the whole body or nothing.
   * @returns the number of bytes
   */
  putStream(key: string, body: Readable, options: PutStreamOptions): Promise<number>;
  /** Cuts a body into parts, sends them, and calls `then` once all of them have settled. */
  sendParts<T>(options: SendPartsOptions, then: (sent: SentParts) => Promise<T>): Promise<T>;
  get(key: string, options?: { range?: { start: number; end?: number }; signal?: AbortSignal }): Promise<ObjectBytes>;
  delete(key: string): Promise<void>;
  presignGet(key: string, options: ObjectInfo & { expiresInSec: number; filename: string }): Promise<string>;
  multipart: {
    minPartBytes: number;
    maxParts: number;
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
