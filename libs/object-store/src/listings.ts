import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';

/** An object, or a multipart upload that is neither completed nor aborted. */
interface Listed {
  key: string;
  /** Of a multipart upload. */
  multipartId?: string;
  /** When the object was stored or the multipart upload begun, on the clock of the store. */
  since: Date;
}

interface ListOptions {
  prefix: string;
  /** Lists what comes after this one. */
  after?: Pick<Listed, 'key' | 'multipartId'>;
  /** At most 1000, which is also the default. */
  limit?: number;
  signal?: AbortSignal;
}

interface Listing {
  /** In the order of their keys. */
  found: Listed[];
  isLast: boolean;
}

/** Lists a bucket page by page. What is stored or removed meanwhile may be listed or not. */
export function createListings(client: S3Client, bucket: string) {
  return {
    async listObjects({ prefix, after, limit, signal }: ListOptions): Promise<Listing> {
      const page = { Bucket: bucket, Prefix: prefix, StartAfter: after?.key, MaxKeys: limit };
      const { Contents = [], IsTruncated } = await client.send(new ListObjectsV2Command(page), { abortSignal: signal });
      const found = Contents.map(({ Key, LastModified }) => ({ key: Key!, since: LastModified! }));
      return { found, isLast: IsTruncated !== true };
    },

    /** MinIO lists only those of one key: with any other prefix, there are none. It removes old ones itself. */
    async listMultiparts({ prefix, after, limit, signal }: ListOptions): Promise<Listing> {
      const markers = { KeyMarker: after?.key, UploadIdMarker: after?.multipartId };
      const page = { Bucket: bucket, Prefix: prefix, MaxUploads: limit, ...markers };
      const reply = await client.send(new ListMultipartUploadsCommand(page), { abortSignal: signal });
      const found = (reply.Uploads ?? []).map(({ Key, UploadId, Initiated }) => ({
        ...{ key: Key!, multipartId: UploadId! },
        since: Initiated!,
      }));
      return { found, isLast: reply.IsTruncated !== true };
    },
  };
}
