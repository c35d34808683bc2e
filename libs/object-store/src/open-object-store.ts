import { createObjectStore } from './object-store.js';
import type { ObjectStore } from './object-store.js';

/** The settings of a service that uses the store (`s3Settings` of libs/config). */
interface S3Settings {
  S3_ENDPOINT: string;
  S3_PUBLIC_ENDPOINT?: string;
  S3_REGION: string;
  S3_ACCESS_KEY: string;
  S3_SECRET_KEY: string;
  S3_BUCKET: string;
  /** Memory for the parts of all uploads of the process, in bytes. */
  UPLOAD_BUFFER_BYTES?: number;
}

/** The bucket of a service, until its lifecycle stops. */
export function openObjectStore(
  settings: S3Settings,
  { lifecycle }: { lifecycle: { onStop(name: string, stop: () => unknown): void } },
): ObjectStore {
  const objects = createObjectStore({
    endpoint: settings.S3_ENDPOINT,
    publicEndpoint: settings.S3_PUBLIC_ENDPOINT,
    region: settings.S3_REGION,
    bucket: settings.S3_BUCKET,
    uploadBufferBytes: settings.UPLOAD_BUFFER_BYTES,
    accessKey: settings.S3_ACCESS_KEY,
    secretKey: settings.S3_SECRET_KEY,
  });
  lifecycle.onStop('object store', () => objects.close());
  return objects;
}
