import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import type { S3Connection } from '@dtplatform/stack';
import type { Bench } from './bench.js';

// The SDK's warning about Node 20 would appear between the rounds.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';

export interface S3Place extends S3Connection {
  bucket: string;
}

/** Disables the SDK's default checksums, which would halve the reference's speed. */
export const clientConfig = ({ endpoint, region, accessKey, secretKey }: S3Connection) => ({
  ...{ endpoint, region, forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' as const },
  credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
});

export const s3Client = (connection: S3Connection): S3Client => new S3Client(clientConfig(connection));

export async function createBucket({ stack }: Bench, bucket: string): Promise<S3Place> {
  const place = { ...stack.backends.s3, bucket };
  await s3Client(place).send(new CreateBucketCommand({ Bucket: bucket }));
  return place;
}

/** Deletes the uploads after the measurement to free the disk. */
export async function emptyBucket(place: S3Place): Promise<void> {
  const client = s3Client(place);
  const { bucket: Bucket } = place;
  for (;;) {
    const { Contents = [], IsTruncated } = await client.send(new ListObjectsV2Command({ Bucket }));
    for (const { Key } of Contents) await client.send(new DeleteObjectCommand({ Bucket, Key }));
    if (!IsTruncated) break;
  }
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
  for (const { Key, UploadId } of Uploads)
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })).catch(() => undefined);
}
