import { randomBytes } from 'node:crypto';
import { createObjectStore } from '../src/index.js';
import type { ObjectStoreOptions } from '../src/index.js';

export const endpoint = process.env.S3_ENDPOINT ?? '';

/** A store with its own bucket on the real server. */
export const openStore = (options: Partial<ObjectStoreOptions> = {}) =>
  createObjectStore({
    endpoint,
    region: process.env.S3_REGION ?? 'us-east-1',
    bucket: `test-object-store-${randomBytes(4).toString('hex')}`,
    accessKey: process.env.S3_ACCESS_KEY ?? '',
    secretKey: process.env.S3_SECRET_KEY ?? '',
    ...options,
  });

export const failureOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => undefined,
    (error: unknown) => error,
  );
