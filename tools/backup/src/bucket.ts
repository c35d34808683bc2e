import { createObjectStore, s3AccessOf, s3Errors } from '@dtplatform/object-store';
import type { ObjectStore } from '@dtplatform/object-store';
import { WITH_OBJECTS } from './services.js';
import type { Settings } from './settings.js';
import { untilAvailable } from './until-available.js';

/** Opens filesvc's bucket until `work` has settled. */
export async function withBucket<T>(
  settings: Settings,
  signal: AbortSignal,
  work: (bucket: ObjectStore) => Promise<T>,
): Promise<T> {
  const bucket = createObjectStore({
    ...s3AccessOf(settings),
    bucket: `${settings.S3_BUCKET_PREFIX}${WITH_OBJECTS}`,
  });
  try {
    const isOutage = (error: unknown) => s3Errors(error) !== undefined;
    await untilAvailable(() => bucket.ping(), { what: 'S3 (S3_ENDPOINT)', isOutage, signal });
    return await work(bucket);
  } finally {
    bucket.close();
  }
}
