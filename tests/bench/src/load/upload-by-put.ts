import { PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { s3Client, type S3Place } from '../s3.js';
import { content } from './content.js';

/** The S3 server: one PUT to a signed URL, without a hash of the content. */
export interface PutTarget {
  kind: 'put';
  place: S3Place;
  /** Sends it to a relay instead. */
  relay: string;
}

export async function uploadByPut({ place, relay }: PutTarget, bytes: number): Promise<void> {
  const object = new PutObjectCommand({ Bucket: place.bucket, Key: randomUUID() });
  const url = new URL(await getSignedUrl(s3Client(place), object, { expiresIn: 3600 }));
  const { statusCode, body } = await request(relay + url.pathname + url.search, {
    method: 'PUT',
    headers: { 'content-length': String(bytes) },
    body: content(bytes),
    ...{ headersTimeout: 0, bodyTimeout: 0 },
  });
  const response = await body.text();
  if (statusCode !== 200) throw new Error(`the PUT was answered ${statusCode}: ${response.slice(0, 300)}`);
}
