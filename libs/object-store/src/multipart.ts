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
import { isAway } from './errors.js';
import type { ObjectHead, ObjectInfo } from './objects.js';

const FIRST_RETRY_MS = 100;

export interface UploadedPart {
  /** From 1. */
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
    /** Begins an upload in parts; gives the upload's id. Parts but the last must hold at least 5 MiB. */
    async begin(key: string, info: ObjectInfo = {}): Promise<string> {
      const command = new CreateMultipartUploadCommand({
        Bucket: bucket,
        Key: key,
        ContentType: info.contentType,
        ContentEncoding: info.contentEncoding,
      });
      const { UploadId } = await client.send(command);
      if (UploadId === undefined) throw new Error('The object store gave no upload id.');
      return UploadId;
    },

    /**
     * Stores one part; a part sent again replaces the one before. A list of buffers is sent as it is, without a copy.
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
      if (ETag === undefined) throw new Error('The object store gave no etag for a part.');
      return { etag: ETag };
    },

    /**
     * Makes the object of its parts. Idempotent: when the upload is not there any more, the object decides whether an earlier call
     * succeeded whose reply was lost. So a key must be used for one upload only.
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

    /** Drops an upload and its parts; one that is not there is no error. */
    async abort(key: string, uploadId: string): Promise<void> {
      try {
        await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: uploadId }));
      } catch (error) {
        if (!isUploadMissing(error)) throw error;
      }
    },
  };
}

/** The SDK tries again by itself, but not with a stream. */
async function withRetries<T>(send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !isAway(error)) throw error;
    }
    await delay(FIRST_RETRY_MS * 2 ** attempt * Math.random());
  }
}

const isUploadMissing = (error: unknown) => isNativeError(error) && error.name === 'NoSuchUpload';

const byteLength = (body: Buffer | Buffer[]) =>
  Array.isArray(body) ? body.reduce((total, { length }) => total + length, 0) : body.length;
