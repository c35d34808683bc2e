import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import type { S3Connection } from '@dtplatform/stack';

// Node 20 is what development machines have; the SDK's advice would stand between the rounds.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';

export interface S3Place extends S3Connection {
  bucket: string;
}

/** Without the SDK's default checksums, which would halve the reference's speed. */
export const s3Client = ({ endpoint, region, accessKey, secretKey }: S3Connection): S3Client =>
  new S3Client({
    ...{ endpoint, region, forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' },
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
  });

export async function createBucket(place: S3Place): Promise<void> {
  await s3Client(place).send(new CreateBucketCommand({ Bucket: place.bucket }));
}

/** Frees the disk: what was uploaded is not needed once it was measured. */
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
