import { GetBucketCorsCommand, PutBucketCorsCommand } from '@aws-sdk/client-s3';
import type { CORSRule, S3Client } from '@aws-sdk/client-s3';

/** Who has a signed URL may read, from wherever: it needs neither cookies nor headers of the caller. */
const READ_BY_ANY_PAGE: CORSRule = {
  AllowedOrigins: ['*'],
  AllowedMethods: ['GET', 'HEAD'],
  AllowedHeaders: ['*'],
  ExposeHeaders: ['Accept-Ranges', 'Content-Disposition', 'Content-Encoding', 'Content-Range', 'ETag'],
  MaxAgeSeconds: 3600,
};

/**
 * Lets pages of any origin read signed URLs. Leaves rules alone that the bucket has already.
 * @returns false if the store has no such rules, or does not let this account set them
 */
export async function ensureBucketCors(client: S3Client, Bucket: string): Promise<boolean> {
  try {
    if (await hasRules(client, Bucket)) return true;
    const CORSConfiguration = { CORSRules: [READ_BY_ANY_PAGE] };
    await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration }));
    return true;
  } catch (error) {
    if (isRefused(error)) return false;
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

const NOT_IMPLEMENTED = 501;

/** Whether the store has understood the call and does not carry it out: repeating it does not help. */
function isRefused(error: unknown): boolean {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  const { httpStatusCode: code = 0 } = $metadata ?? {};
  return code === NOT_IMPLEMENTED || (code >= 400 && code < 429);
}
