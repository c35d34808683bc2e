import { randomUUID } from 'node:crypto';
import { Upload } from '@aws-sdk/lib-storage';
import { s3Client, type S3Place } from '../s3.js';
import { content } from './content.js';

/**
 * The S3 server itself, with the upload manager of the AWS SDK in its default configuration: parts of 5 MiB, four at a
 * time.
 */
export interface S3Target {
  kind: 's3';
  place: S3Place;
}

export async function uploadToS3({ place }: S3Target, bytes: number): Promise<void> {
  const params = { Bucket: place.bucket, Key: randomUUID(), Body: content(bytes) };
  await new Upload({ client: s3Client(place), params }).done();
}
