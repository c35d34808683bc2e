import { GetObjectCommand } from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

export interface PresignOptions {
  /** At most 7 days. */
  expiresInSec: number;
  /** File name of the download. */
  filename: string;
  contentType?: string;
  contentEncoding?: string;
}

/**
 * A URL that gives anyone access to the object until it expires. Browsers download the object instead of displaying
 * it.
 */
export function presignGet(client: S3Client, bucket: string, key: string, options: PresignOptions): Promise<string> {
  const command = new GetObjectCommand({
    Bucket: bucket,
    Key: key,
    ResponseContentDisposition: attachment(options.filename),
    ResponseContentType: options.contentType,
    ResponseContentEncoding: options.contentEncoding,
  });
  return getSignedUrl(client, command, { expiresIn: options.expiresInSec });
}

/** A `Content-Disposition` (RFC 6266) with an ASCII name for old clients and the real one in UTF-8 (RFC 8187). */
export function attachment(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
