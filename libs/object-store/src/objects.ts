import type { IncomingMessage } from 'node:http';
import { addAbortSignal } from 'node:stream';
import type { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';
import { isObjectMissing } from './errors.js';

const DELETES_AT_ONCE = 16;

export interface ObjectInfo {
  contentType?: string;
  contentEncoding?: string;
}

export interface ObjectHead extends ObjectInfo {
  /** Bytes of the whole object, as stored. */
  size: number;
  /** Including its quotes. */
  etag: string;
}

interface StoredObject extends ObjectHead {
  /** Destroy it unless you read it to its end: it holds a connection until then. */
  stream: Readable;
  /** Number of bytes in the stream: `size`, or the length of the range. */
  length: number;
  /** `bytes 0-9/100`, when a range was requested. */
  contentRange?: string;
}

export type Objects = ReturnType<typeof createObjects>;

export function createObjects(client: S3Client, bucket: string) {
  const head = async (key: string, options: { signal?: AbortSignal } = {}): Promise<ObjectHead | undefined> => {
    try {
      const command = new HeadObjectCommand({ Bucket: bucket, Key: key });
      const reply = await client.send(command, { abortSignal: options.signal });
      const { ContentLength, ContentType, ContentEncoding, ETag } = reply;
      return { size: ContentLength ?? 0, contentType: ContentType, contentEncoding: ContentEncoding, etag: ETag ?? '' };
    } catch (error) {
      if (isObjectMissing(error)) return undefined;
      throw error;
    }
  };

  const remove = async (key: string): Promise<void> => {
    try {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
    } catch (error) {
      if (!isObjectMissing(error)) throw error;
    }
  };

  return {
    /** Stores an object from memory, replacing an existing one. */
    async put(
      key: string,
      body: Buffer,
      options: ObjectInfo & { signal?: AbortSignal } = {},
    ): Promise<{ etag: string }> {
      const { signal, contentType, contentEncoding } = options;
      const command = new PutObjectCommand({
        Bucket: bucket,
        Key: key,
        Body: body,
        ContentLength: body.length,
        ContentType: contentType,
        ContentEncoding: contentEncoding,
      });
      const reply = await client.send(command, { abortSignal: signal });
      return { etag: reply.ETag ?? '' };
    },

    /**
     * Opens an object for reading. `range` counts bytes from 0, both ends inclusive; without `end` it extends to the
     * last byte. Throws an `isObjectMissing` error when the object does not exist, and the store's `InvalidRange` when
     * the range starts beyond the end of the object.
     */
    async get(
      key: string,
      options: { range?: { start: number; end?: number }; signal?: AbortSignal } = {},
    ): Promise<StoredObject> {
      const { range, signal } = options;
      const command = new GetObjectCommand({
        Bucket: bucket,
        Key: key,
        Range: range && `bytes=${range.start}-${range.end ?? ''}`,
      });
      const reply = await client.send(command, { abortSignal: signal });
      const stream = reply.Body as IncomingMessage;
      // A reader may pause for any time; the timeout is only for a store that does not answer.
      stream.setTimeout(0);
      if (signal) addAbortSignal(signal, stream);
      const length = reply.ContentLength ?? 0;
      return {
        stream,
        length,
        size: totalOf(reply.ContentRange) ?? length,
        contentRange: reply.ContentRange,
        contentType: reply.ContentType,
        contentEncoding: reply.ContentEncoding,
        etag: reply.ETag ?? '',
      };
    },

    /** Size, type and ETag of an object, or undefined when it does not exist. */
    head,

    /** Deletes an object. One that does not exist is not an error. */
    delete: remove,

    /** Deletes objects with one call each, some in parallel: not every store supports `DeleteObjects`. */
    async deleteMany(keys: readonly string[]): Promise<void> {
      const waiting = keys.values();
      const drain = async () => {
        for (const key of waiting) await remove(key);
      };
      await Promise.all(Array.from({ length: DELETES_AT_ONCE }, drain));
    },
  };
}

const totalOf = (contentRange: string | undefined): number | undefined => {
  const total = Number(contentRange?.split('/')[1]);
  return Number.isFinite(total) ? total : undefined;
};
