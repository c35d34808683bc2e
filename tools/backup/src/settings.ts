import { z } from 'zod';
import { mongoSettings, redisSettings, s3Settings } from '@dtplatform/config';

/** The backends, from the same environment variables as the services. */
export const Settings = z.object({
  MONGO_URL: mongoSettings.MONGO_URL,
  /** Prefix of the database names. */
  MONGO_DATABASE_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{0,40}$/)
    .default('dtplatform_'),
  S3_ENDPOINT: s3Settings.S3_ENDPOINT,
  S3_REGION: s3Settings.S3_REGION,
  S3_ACCESS_KEY: s3Settings.S3_ACCESS_KEY,
  S3_SECRET_KEY: s3Settings.S3_SECRET_KEY,
  S3_CLIENT_CERTIFICATE: s3Settings.S3_CLIENT_CERTIFICATE,
  S3_FORCE_PATH_STYLE: s3Settings.S3_FORCE_PATH_STYLE,
  S3_BUCKET_PREFIX: z
    .string()
    .regex(/^[a-z0-9.-]{0,40}$/)
    .default('dtplatform-'),
});
export type Settings = z.infer<typeof Settings>;

/** A restore also empties Redis, whose content belongs to the previous data. */
export const RestoreSettings = Settings.extend(redisSettings);
export type RestoreSettings = z.infer<typeof RestoreSettings>;
