import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { isNativeError } from 'node:util/types';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';
import { MAX_ATTEMPTS } from './client.js';
import { isOutage } from './errors.js';
import type { ObjectHead, ObjectInfo } from './objects.js';

const FIRST_RETRY_MS = 100;

export interface UploadedPart {
  /** Counts from 1. */
  partNumber: number;
  etag: string;
}

export type Multipart = ReturnType<typeof createMultipart>;

export function createMultipart(
  client: S3Client,
  bucket: string,
  head: (key: string) => Promise<ObjectHead | undefined>,
) {
  return {
    /** Begins a multipart upload and returns its id. All parts but the last must have at least 5 MiB. */
    async begin(key: string, info: ObjectInfo = {}): Promise<string> {
      const command = new CreateMultipartUploadCommand({
        Bucket: bucket,
        Key: key,
        ContentType: info.contentType,
        ContentEncoding: info.contentEncoding,
      });
      const { UploadId } = await client.send(command);
      if (UploadId === undefined) throw new Error('The object store returned no upload id.');
      return UploadId;
    },

    /**
     * Stores one part, replacing an earlier one with the same number. A list of buffers is sent without copying.
     * The buffers must not change until the promise settles.
     */
    async uploadPart(
      key: string,
      uploadId: string,
      partNumber: number,
      body: Buffer | Buffer[],
      options: { signal?: AbortSignal } = {},
    ): Promise<{ etag: string }> {
      const send = () =>
        client.send(
          new UploadPartCommand({
            Bucket: bucket,
            Key: key,
            UploadId: uploadId,
            PartNumber: partNumber,
            Body: Array.isArray(body) ? Readable.from(body, { objectMode: false }) : body,
            ContentLength: byteLength(body),
          }),
          { abortSignal: options.signal },
        );
      const { ETag } = await (Array.isArray(body) ? withRetries(send) : send());
      if (ETag === undefined) throw new Error('The object store returned no ETag for a part.');
      return { etag: ETag };
    },

    /**
     * Assembles the object from its parts. Idempotent: when the upload no longer exists but the object does, an earlier call
     * succeeded and its reply was lost. So a key must be used for one upload only.
     */
    async complete(key: string, uploadId: string, parts: readonly UploadedPart[]): Promise<{ etag: string }> {
      const command = new CompleteMultipartUploadCommand({
        Bucket: bucket,
        Key: key,
        UploadId: uploadId,
        MultipartUpload: { Parts: parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag })) },
      });
      try {
        const { ETag } = await client.send(command);
        return { etag: ETag ?? '' };
      } catch (error) {
        const object = isUploadMissing(error) ? await head(key) : undefined;
        if (object) return { etag: object.etag };
        throw error;
      }
    },

    /** Discards an upload and its parts. An upload that does not exist is not an error. */
    async abort(key: string, uploadId: string): Promise<void> {
      try {
        await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: uploadId }));
      } catch (error) {
        if (!isUploadMissing(error)) throw error;
      }
    },
  };
}

/** The SDK itself retries, but not when the body is a stream. */
async function withRetries<T>(send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !isOutage(error)) throw error;
    }
    await delay(FIRST_RETRY_MS * 2 ** attempt * Math.random());
  }
}

const isUploadMissing = (error: unknown) => isNativeError(error) && error.name === 'NoSuchUpload';

const byteLength = (body: Buffer | Buffer[]) =>
  Array.isArray(body) ? body.reduce((total, { length }) => total + length, 0) : body.length;
