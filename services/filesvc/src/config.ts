import { z } from 'zod';
import { mongoSettings, processSettings, redisSettings, s3Settings, wholeNumber } from '@dtplatform/config';
import { partBytesFor } from '@dtplatform/object-store';
import { migrationSettings, serviceSettings } from '@dtplatform/runtime';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const DAY_HOURS = 24;

export const Config = z
  .object({
    ...serviceSettings,
    ...s3Settings,
    /** Bytes. S3 accepts 10 000 parts, so the largest file determines the largest part. */
    MAX_FILE_BYTES: wholeNumber(1).default(512 * GIB),
    /** Bytes, for the parts of all uploads. Uploads wait for each other when they are used up. */
    UPLOAD_BUFFER_BYTES: wholeNumber(8 * MIB).default(256 * MIB),
    /** Seconds; at most a week (a limit of signed URLs). */
    DOWNLOAD_URL_TTL_SEC: wholeNumber(1).pipe(z.number().max(604_800)).default(3600),
    /**
     * The time limit for checking permissions on everything below a large folder, in milliseconds. The default suffices
     * for millions of files.
     */
    FOLDER_CHECK_MS: wholeNumber(1).default(20_000),
  })
  .refine((config) => partBytesFor(config.MAX_FILE_BYTES) <= config.UPLOAD_BUFFER_BYTES, {
    path: ['UPLOAD_BUFFER_BYTES'],
    error: 'must fit one part of the largest file: at least MAX_FILE_BYTES / 9000, rounded up to whole MiB',
  });
export type Config = z.infer<typeof Config>;

export const WorkerConfig = z.object({
  ...processSettings,
  ...mongoSettings,
  ...redisSettings,
  ...s3Settings,
  ABANDONED_UPLOAD_HOURS: wholeNumber(1).default(DAY_HOURS),
  /** How often the worker looks for interrupted and abandoned uploads, in milliseconds. */
  UPLOAD_SWEEP_EVERY_MS: wholeNumber(100).default(10_000),
  /** Bytes. Larger files get no previews. */
  PREVIEW_MAX_FILE_BYTES: wholeNumber(1).default(64 * MIB),
  PREVIEW_MAX_PIXELS: wholeNumber(1).default(64_000_000),
  /** Bytes. The process that renders the previews of one file is killed when it needs more. */
  PREVIEW_MEMORY_BYTES: wholeNumber(128 * MIB).default(512 * MIB),
  /** Milliseconds for the previews of one file. */
  PREVIEW_TIMEOUT_MS: wholeNumber(1000).default(30_000),
  ORPHANED_OBJECT_HOURS: wholeNumber(1).default(2 * DAY_HOURS),
  /** Nothing is removed if a larger share of the old objects on a page has no record. */
  ORPHANED_OBJECT_LIMIT_PERCENT: wholeNumber(1).pipe(z.number().max(100)).default(50),
});
export type WorkerConfig = z.infer<typeof WorkerConfig>;

export const MigrationConfig = z.object({ ...migrationSettings, ...s3Settings });
export type MigrationConfig = z.infer<typeof MigrationConfig>;
