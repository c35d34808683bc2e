import { z } from 'zod';
import { mongoSettings, redisSettings, s3Settings } from '@dtplatform/config';

/** The backends, from the same environment variables as the services. */
export const Settings = z
  .object(s3Settings)
  .omit({ S3_BUCKET: true, S3_PUBLIC_ENDPOINT: true })
  .extend({
    MONGO_URL: mongoSettings.MONGO_URL,
    /** Prefix of the database names. */
    MONGO_DATABASE_PREFIX: z
      .string()
      .regex(/^[A-Za-z0-9_-]{0,40}$/)
      .default('dtplatform_'),
    S3_BUCKET_PREFIX: z
      .string()
      .regex(/^[a-z0-9.-]{0,40}$/)
      .default('dtplatform-'),
  });
export type Settings = z.infer<typeof Settings>;

/** A restore also empties Redis, whose content belongs to the previous data. */
export const RestoreSettings = Settings.extend(redisSettings);
export type RestoreSettings = z.infer<typeof RestoreSettings>;
