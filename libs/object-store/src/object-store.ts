import { CreateBucketCommand, HeadBucketCommand } from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';
import { createClient } from './client.js';
import { isObjectMissing } from './errors.js';
import { createMultipart } from './multipart.js';
import { createObjects } from './objects.js';
import { presignGet } from './presign.js';
import type { PresignOptions } from './presign.js';

const PING_TIMEOUT_MS = 2_000;

export interface ObjectStoreOptions {
  /** Where this process reaches the store. */
  endpoint: string;
  /** Where the platform's callers reach the store, for pre-signed URLs. Default: `endpoint`. */
  publicEndpoint?: string;
  region: string;
  bucket: string;
  accessKey: string;
  secretKey: string;
}

export type ObjectStore = ReturnType<typeof createObjectStore>;

/**
 * One bucket of an S3-compatible store. Uses core operations only: put, ranged get, head, delete, multipart, pre-signed get.
 * Does not connect until the first call. Errors are the SDK's; `s3Errors` maps those that mean that the store is unavailable.
 */
export function createObjectStore(options: ObjectStoreOptions) {
  const { bucket } = options;
  const client = createClient(options);
  const publicClient = createClient({ ...options, endpoint: options.publicEndpoint ?? options.endpoint });
  const objects = createObjects(client, bucket);

  return {
    ...objects,
    multipart: createMultipart(client, bucket, objects.head),

    /** Creates the bucket if it does not exist. */
    ensureBucket: () => ensureBucket(client, bucket),

    /** A URL that downloads one object, signed for `publicEndpoint`. */
    presignGet: (key: string, presign: PresignOptions) => presignGet(publicClient, bucket, key, presign),

    /** Resolves when the bucket is reachable; rejects within about 2 seconds otherwise. */
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

/** Another process may have created the bucket in the meantime. */
function ignoreOwned(error: unknown): void {
  if (!(error instanceof Error) || !error.name.startsWith('BucketAlready')) throw error;
}
