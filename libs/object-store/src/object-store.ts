import type { Readable } from 'node:stream';
import { CreateBucketCommand, HeadBucketCommand } from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';
import { createByteBudget } from '@dtplatform/budget';
import { ensureBucketCors } from './bucket-cors.js';
import { createClient } from './client.js';
import { isObjectMissing } from './errors.js';
import { createListings } from './listings.js';
import { createMarkers } from './markers.js';
import { createMultipart } from './multipart.js';
import { createObjects } from './objects.js';
import { createPartBuffers } from './part-buffers.js';
import { presignGet } from './presign.js';
import type { PresignOptions } from './presign.js';
import { putStream } from './put-stream.js';
import type { PutStreamOptions } from './put-stream.js';
import { sendParts } from './send-parts.js';
import type { SendPartsOptions, SentParts } from './send-parts.js';

const PING_TIMEOUT_MS = 2_000;
const DEFAULT_UPLOAD_BUFFER_BYTES = 128 * 1024 * 1024;

export interface ObjectStoreOptions {
  /** URL at which this process reaches the store. */
  endpoint: string;
  /** URL at which clients reach it, for pre-signed URLs. Default: `endpoint`. */
  publicEndpoint?: string;
  region: string;
  bucket: string;
  accessKey: string;
  secretKey: string;
  /** Memory for the parts of all uploads, which wait for one another. */
  uploadBufferBytes?: number;
}

export type ObjectStore = ReturnType<typeof createObjectStore>;

/**
 * One bucket of an S3-compatible store. Uses core calls only: put, get with range, head, delete, list,
 * multipart, pre-signed get.
 * Does not connect before the first call. Errors are the SDK's; `s3Errors` maps those that mean the store is unavailable.
 */
export function createObjectStore(options: ObjectStoreOptions) {
  const { bucket } = options;
  const client = createClient(options);
  const publicClient = createClient({ ...options, endpoint: options.publicEndpoint ?? options.endpoint });
  const objects = createObjects(client, bucket);
  const multipart = createMultipart(client, bucket, objects.head);
  const uploadMemory = createByteBudget(options.uploadBufferBytes ?? DEFAULT_UPLOAD_BUFFER_BYTES);
  const buffers = createPartBuffers(uploadMemory);

  return {
    ...objects,
    ...createListings(client, bucket),
    ...createMarkers(client, bucket),
    multipart,

    /** The memory for the parts of all uploads. */
    uploadMemory,

    /** Streams a body into one object with bounded memory (see `putStream`). */
    putStream: (key: string, body: Readable, stream: PutStreamOptions) =>
      putStream({ objects, multipart, buffers }, key, body, stream),

    /** Cuts a body into parts and hands them to `send`, with bounded memory (see `sendParts`). */
    sendParts: <T>(parts: SendPartsOptions, then: (sent: SentParts) => Promise<T>) =>
      sendParts({ ...parts, buffers }, then),

    /** Creates the bucket unless it exists. */
    ensureBucket: () => ensureBucket(client, bucket),

    /**
     * Allows pages of any origin to read signed URLs, unless the bucket already has CORS rules. If the store refuses to set
     * rules, resolves with the name of its error. Pages may be able to read anyway: MinIO has no rules and allows all origins.
     */
    ensureCors: () => ensureBucketCors(client, bucket),

    /** A URL to download one object from, signed for `publicEndpoint`. */
    presignGet: (key: string, presign: PresignOptions) => presignGet(publicClient, bucket, key, presign),

    /** Resolves when the bucket is reachable; otherwise rejects within about 2 seconds. */
    async ping(): Promise<void> {
      await client.send(new HeadBucketCommand({ Bucket: bucket }), {
        abortSignal: AbortSignal.timeout(PING_TIMEOUT_MS),
      });
    },

    /** Closes the connections. */
    close(): void {
      client.destroy();
      publicClient.destroy();
    },
  };
}

async function ensureBucket(client: S3Client, bucket: string): Promise<void> {
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }));
  } catch (error) {
    if (!isObjectMissing(error)) throw error;
    await client.send(new CreateBucketCommand({ Bucket: bucket })).catch(ignoreOwned);
  }
}

/** Another process created it first. */
function ignoreOwned(error: unknown): void {
  if (!(error instanceof Error) || !error.name.startsWith('BucketAlready')) throw error;
}
