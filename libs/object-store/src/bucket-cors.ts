import { GetBucketCorsCommand, PutBucketCorsCommand, S3ServiceException } from '@aws-sdk/client-s3';
import type { CORSRule, S3Client } from '@aws-sdk/client-s3';

/** A signed URL is all that a reader needs, so pages of every origin may use one. They send no cookies with it. */
const READ_BY_ANY_PAGE: CORSRule = {
  AllowedOrigins: ['*'],
  AllowedMethods: ['GET', 'HEAD'],
  AllowedHeaders: ['*'],
  ExposeHeaders: ['Accept-Ranges', 'Content-Disposition', 'Content-Encoding', 'Content-Range', 'ETag'],
  MaxAgeSeconds: 3600,
};

/**
 * Allows pages of any origin to read signed URLs. Rules that the bucket already has stay as they are.
 * @returns the name of the store's error if it has no CORS rules, or does not allow this account to set them
 */
export async function ensureBucketCors(client: S3Client, Bucket: string): Promise<string | undefined> {
  try {
    if (await hasRules(client, Bucket)) return undefined;
    const CORSConfiguration = { CORSRules: [READ_BY_ANY_PAGE] };
    await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration }));
    return undefined;
  } catch (error) {
    if (cannotSet(error)) return error.name;
    throw error;
  }
}

async function hasRules(client: S3Client, Bucket: string): Promise<boolean> {
  try {
    const { CORSRules = [] } = await client.send(new GetBucketCorsCommand({ Bucket }));
    return CORSRules.length > 0;
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchCORSConfiguration') return false;
    throw error;
  }
}

/** How stores without CORS rules respond, and stores whose rules this account may not set. */
const REFUSING_STATUSES = new Set([405, 501]);
const REFUSING_ERRORS = new Set(['AccessDenied', 'MalformedXML', 'NotImplemented']);

function cannotSet(error: unknown): error is S3ServiceException {
  if (!(error instanceof S3ServiceException)) return false;
  return REFUSING_ERRORS.has(error.name) || REFUSING_STATUSES.has(error.$metadata.httpStatusCode ?? 0);
}
