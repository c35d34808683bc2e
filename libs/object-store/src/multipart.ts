import { isNativeError } from 'node:util/types';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';
import type { ObjectHead, ObjectInfo } from './objects.js';
import { MAX_PARTS, MIN_PART_BYTES, partBytesFor } from './part-buffers.js';

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
    minPartBytes: MIN_PART_BYTES,
    maxParts: MAX_PARTS,
    partBytesFor,

    /** Starts a multipart upload and returns its id. Every part but the last needs at least `minPartBytes`. */
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

    /** Stores one part, replacing one with the same number. The buffer must not change until this resolves. */
    async uploadPart(
      key: string,
      uploadId: string,
      partNumber: number,
      body: Buffer,
      options: { signal?: AbortSignal } = {},
    ): Promise<{ etag: string }> {
      const command = new UploadPartCommand({
        Bucket: bucket,
        Key: key,
        UploadId: uploadId,
        PartNumber: partNumber,
        Body: body,
        ContentLength: body.length,
      });
      const { ETag } = await client.send(command, { abortSignal: options.signal });
      if (ETag === undefined) throw new Error('The object store returned no etag for a part.');
      return { etag: ETag };
    },

    /**
     * Creates the object from its parts. Idempotent: if the upload no longer exists, an object under the key means that
     * an earlier call succeeded and its response was lost. Use each key for one upload only.
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

    /** Drops an upload and its parts. Does nothing if the upload does not exist. */
    async abort(key: string, uploadId: string): Promise<void> {
      try {
        await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: uploadId }));
      } catch (error) {
        if (!isUploadMissing(error)) throw error;
      }
    },
  };
}

const isUploadMissing = (error: unknown) => isNativeError(error) && error.name === 'NoSuchUpload';
