import type { Readable } from 'node:stream';
import {
  CreateBucketCommand,
  GetBucketCorsCommand,
  HeadBucketCommand,
  PutBucketCorsCommand,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { CORSRule, S3Client } from '@aws-sdk/client-s3';
import { createByteBudget } from '@dtplatform/budget';
import { createClient } from './client.js';
import type { S3Access } from './client.js';
import { isObjectMissing } from './errors.js';
import { createMultipart } from './multipart.js';
import { createListings, createMarkers, createObjects } from './objects.js';
import { createPartBuffers } from './part-buffers.js';
import { presignGet } from './presign.js';
import type { PresignOptions } from './presign.js';
import { putStream } from './put-stream.js';
import type { PutStreamOptions } from './put-stream.js';
import { sendParts } from './send-parts.js';
import type { SendPartsOptions, SentParts } from './send-parts.js';

const PING_TIMEOUT_MS = 2_000;
const DEFAULT_UPLOAD_BUFFER_BYTES = 128 * 1024 * 1024;

export interface ObjectStoreOptions extends S3Access {
  /** URL of the store for clients, in pre-signed URLs. Default: `endpoint`. */
  publicEndpoint?: string;
  bucket: string;
  /** Memory for the parts of all uploads. */
  uploadBufferBytes?: number;
}

export type ObjectStore = ReturnType<typeof createObjectStore>;

/**
 * One bucket of an S3-compatible store. Uses core calls only: put, get with range, head, delete, list, multipart,
 * pre-signed get. Does not connect before the first call. Errors are the SDK's; `s3Errors` maps those that mean that
 * the store is unavailable.
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

    /** Memory for the parts of all uploads. */
    uploadMemory,

    /** Streams a body into one object with bounded memory (see `putStream`). */
    putStream: (key: string, body: Readable, stream: PutStreamOptions) =>
      putStream({ objects, multipart, buffers }, key, body, stream),

    /** Cuts a body into parts and passes them to `send`, with bounded memory (see `sendParts`). */
    sendParts: <T>(parts: SendPartsOptions, then: (sent: SentParts) => Promise<T>) =>
      sendParts({ ...parts, buffers }, then),

    /** Creates the bucket unless it exists. */
    ensureBucket: () => ensureBucket(client, bucket),

    /**
     * Allows pages of any origin to read signed URLs, unless the bucket already has CORS rules. Resolves to the name of
     * the store's error if rules cannot be set. Pages may be able to read anyway: MinIO has no rules and allows all
     * origins.
     */
    ensureCors: () => ensureBucketCors(client, bucket),

    /** A URL to download one object, signed for `publicEndpoint`. */
    presignGet: (key: string, presign: PresignOptions) => presignGet(publicClient, bucket, key, presign),

    /** Resolves when the bucket is reachable; otherwise rejects within about 2 seconds. */
    async ping(): Promise<void> {
      await client.send(new HeadBucketCommand({ Bucket: bucket }), {
        abortSignal: AbortSignal.timeout(PING_TIMEOUT_MS),
      });
    },

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

/** The settings of a service that uses the store (`s3Settings` of libs/config). */
interface S3Settings {
  S3_ENDPOINT: string;
  S3_PUBLIC_ENDPOINT?: string;
  S3_REGION: string;
  S3_ACCESS_KEY?: string;
  S3_SECRET_KEY?: string;
  S3_CLIENT_CERTIFICATE?: string;
  S3_FORCE_PATH_STYLE: boolean;
  S3_BUCKET: string;
  /** Memory for the parts of all uploads of the process, in bytes. */
  UPLOAD_BUFFER_BYTES?: number;
}

/** The bucket of a service, open until its lifecycle stops. */
export function openObjectStore(
  settings: S3Settings,
  { lifecycle }: { lifecycle: { onStop(name: string, stop: () => unknown): void } },
): ObjectStore {
  const objects = createObjectStore({
    ...s3AccessOf(settings),
    publicEndpoint: settings.S3_PUBLIC_ENDPOINT,
    bucket: settings.S3_BUCKET,
    uploadBufferBytes: settings.UPLOAD_BUFFER_BYTES,
  });
  lifecycle.onStop('object store', () => objects.close());
  return objects;
}

/** How to reach the server, from the settings of a process. */
export const s3AccessOf = (settings: Omit<S3Settings, 'S3_BUCKET'>): S3Access => ({
  endpoint: settings.S3_ENDPOINT,
  region: settings.S3_REGION,
  accessKey: settings.S3_ACCESS_KEY,
  secretKey: settings.S3_SECRET_KEY,
  clientCertificate: settings.S3_CLIENT_CERTIFICATE,
  forcePathStyle: settings.S3_FORCE_PATH_STYLE,
});

/** A signed URL grants access by itself, so pages of any origin may use one. Browsers send no cookies with it. */
const READ_BY_ANY_PAGE: CORSRule = {
  AllowedOrigins: ['*'],
  AllowedMethods: ['GET', 'HEAD'],
  AllowedHeaders: ['*'],
  ExposeHeaders: ['Accept-Ranges', 'Content-Disposition', 'Content-Encoding', 'Content-Range', 'ETag'],
  MaxAgeSeconds: 3600,
};

/**
 * Allows pages of any origin to read signed URLs. Existing rules of the bucket stay unchanged.
 * @returns the name of the store's error if it has no CORS rules or this account may not set them
 */
async function ensureBucketCors(client: S3Client, Bucket: string): Promise<string | undefined> {
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

/** Responses of stores without CORS rules, and to accounts that may not set them. */
const REFUSING_STATUSES = new Set([405, 501]);
const REFUSING_ERRORS = new Set(['AccessDenied', 'MalformedXML', 'NotImplemented']);

function cannotSet(error: unknown): error is S3ServiceException {
  if (!(error instanceof S3ServiceException)) return false;
  return REFUSING_ERRORS.has(error.name) || REFUSING_STATUSES.has(error.$metadata.httpStatusCode ?? 0);
}
