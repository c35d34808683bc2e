import type { IncomingMessage } from 'node:http';
import { addAbortSignal } from 'node:stream';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';
import { isObjectMissing } from './errors.js';

const DELETES_AT_ONCE = 16;

export interface ObjectInfo {
  contentType?: string;
  contentEncoding?: string;
}

export interface ObjectHead extends ObjectInfo {
  /** Size of the whole object in bytes. */
  size: number;
  /** Including quotes. */
  etag: string;
}

interface StoredObject extends ObjectHead {
  /** Read it to its end or destroy it: it holds a connection until then. */
  stream: Readable;
  /** Number of bytes in the stream: `size`, or the length of the range. */
  length: number;
  /** `bytes 0-9/100`, if a range was requested. */
  contentRange?: string;
}

export type Objects = ReturnType<typeof createObjects>;

export function createObjects(client: S3Client, bucket: string) {
  const head = async (key: string, options: { signal?: AbortSignal } = {}): Promise<ObjectHead | undefined> => {
    try {
      const command = new HeadObjectCommand({ Bucket: bucket, Key: key });
      const response = await client.send(command, { abortSignal: options.signal });
      const { ContentLength, ContentType, ContentEncoding, ETag } = response;
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
      const response = await client.send(command, { abortSignal: signal });
      return { etag: response.ETag ?? '' };
    },

    /**
     * Opens an object for reading. `range` counts bytes from 0, both ends inclusive; without `end` it extends to the
     * last byte. Throws an `isObjectMissing` error if the object does not exist, and the store's `InvalidRange` if the
     * range starts beyond its end.
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
      const response = await client.send(command, { abortSignal: signal });
      const stream = response.Body as IncomingMessage;
      // A reader may pause for any time; the timeout is only for a store that does not respond.
      stream.setTimeout(0);
      if (signal) addAbortSignal(signal, stream);
      const length = response.ContentLength ?? 0;
      return {
        stream,
        length,
        size: totalOf(response.ContentRange) ?? length,
        contentRange: response.ContentRange,
        contentType: response.ContentType,
        contentEncoding: response.ContentEncoding,
        etag: response.ETag ?? '',
      };
    },

    /** Size, type and ETag of an object; undefined if it does not exist. */
    head,

    /** Deletes an object. Succeeds if it does not exist. */
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

/** Small objects that are written once. */
export function createMarkers(client: S3Client, bucket: string) {
  return {
    /** Stores an object unless it exists; one of several concurrent callers succeeds. */
    async putIfAbsent(key: string, body: Buffer): Promise<void> {
      const object = { Bucket: bucket, Key: key, Body: body, ContentLength: body.length };
      try {
        await client.send(new PutObjectCommand({ ...object, IfNoneMatch: '*' }));
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    },

    /** A small object as text; undefined if it does not exist. */
    async readText(key: string): Promise<string | undefined> {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
        return await text(Body as Readable);
      } catch (error) {
        if (isObjectMissing(error)) return undefined;
        throw error;
      }
    },
  };
}

const CONFLICTS = new Set([409, 412]);
const isConflict = (error: unknown) =>
  CONFLICTS.has((error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0);

/** An object, or a multipart upload that is neither completed nor aborted. */
interface Listed {
  key: string;
  /** Set for multipart uploads. */
  multipartId?: string;
  /** When the object was stored or the multipart upload started, by the store's clock. */
  since: Date;
}

interface ListOptions {
  prefix: string;
  /** Start after this entry. */
  after?: Pick<Listed, 'key' | 'multipartId'>;
  /** At most 1000, the default. */
  limit?: number;
  signal?: AbortSignal;
}

interface Listing {
  /** Ordered by key. */
  found: Listed[];
  isLast: boolean;
}

/** Lists a bucket page by page. Objects that are stored or removed while it runs may or may not appear. */
export function createListings(client: S3Client, bucket: string) {
  return {
    async listObjects({ prefix, after, limit, signal }: ListOptions): Promise<Listing> {
      const page = { Bucket: bucket, Prefix: prefix, StartAfter: after?.key, MaxKeys: limit };
      const { Contents = [], IsTruncated } = await client.send(new ListObjectsV2Command(page), { abortSignal: signal });
      const found = Contents.map(({ Key, LastModified }) => ({ key: Key!, since: LastModified! }));
      return { found, isLast: IsTruncated !== true };
    },

    /**
     * MinIO lists multipart uploads only by exact key: with any other prefix it finds none. It removes old ones itself.
     */
    async listMultiparts({ prefix, after, limit, signal }: ListOptions): Promise<Listing> {
      const markers = { KeyMarker: after?.key, UploadIdMarker: after?.multipartId };
      const page = { Bucket: bucket, Prefix: prefix, MaxUploads: limit, ...markers };
      const response = await client.send(new ListMultipartUploadsCommand(page), { abortSignal: signal });
      const found = (response.Uploads ?? []).map(({ Key, UploadId, Initiated }) => ({
        ...{ key: Key!, multipartId: UploadId! },
        since: Initiated!,
      }));
      return { found, isLast: response.IsTruncated !== true };
    },
  };
}
