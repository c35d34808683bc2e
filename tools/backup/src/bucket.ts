import { setTimeout as sleep } from 'node:timers/promises';
import { createObjectStore, s3Errors } from '@dtplatform/object-store';
import type { ObjectStore } from '@dtplatform/object-store';
import { WITH_OBJECTS } from './services.js';
import type { Settings } from './settings.js';

/** Opens the bucket of filesvc, until `work` has settled. */
export async function withBucket<T>(settings: Settings, work: (bucket: ObjectStore) => Promise<T>): Promise<T> {
  const bucket = createObjectStore({
    endpoint: settings.S3_ENDPOINT,
    region: settings.S3_REGION,
    accessKey: settings.S3_ACCESS_KEY,
    secretKey: settings.S3_SECRET_KEY,
    bucket: `${settings.S3_BUCKET_PREFIX}${WITH_OBJECTS}`,
  });
  try {
    await untilAvailable(bucket);
    return await work(bucket);
  } finally {
    bucket.close();
  }
}

const WAIT_MS = 120_000;
const EVERY_MS = 1_000;

/** A store that is starting is waited for, as long as the databases are. Any other problem shows in the work. */
async function untilAvailable(bucket: ObjectStore): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const error = await bucket.ping().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (s3Errors(error) === undefined || performance.now() > deadline) return;
    await sleep(EVERY_MS);
  }
}
