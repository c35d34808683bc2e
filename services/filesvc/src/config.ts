import { z } from 'zod';
import { mongoSettings, processSettings, redisSettings, s3Settings, wholeNumber } from '@dtplatform/config';
import { partBytesFor } from '@dtplatform/object-store';
import { migrationSettings, serviceSettings } from '@dtplatform/runtime';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const DAY_HOURS = 24;

/** Settings of filesvc, from the environment. */
export const Config = z
  .object({
    ...serviceSettings,
    ...s3Settings,
    /** The largest file, in bytes. S3 accepts 10 000 parts, so the largest file decides how large parts can be. */
    MAX_FILE_BYTES: wholeNumber(1).default(512 * GIB),
    /** Memory for the parts of all uploads, in bytes. Uploads wait for one another when it is used up. */
    UPLOAD_BUFFER_BYTES: wholeNumber(8 * MIB).default(256 * MIB),
    /** Lifetime of a download URL, in seconds; at most a week (a limit of signed URLs). */
    DOWNLOAD_URL_TTL_SEC: wholeNumber(1).pipe(z.number().max(604_800)).default(3600),
    /**
     * How long it may take to find out whether the caller may delete all that is below a large folder, in milliseconds.
     * The default is enough for some millions of files.
     */
    FOLDER_CHECK_MS: wholeNumber(1).default(20_000),
  })
  .refine((config) => partBytesFor(config.MAX_FILE_BYTES) <= config.UPLOAD_BUFFER_BYTES, {
    path: ['UPLOAD_BUFFER_BYTES'],
    error: 'must hold one part of the largest file: at least MAX_FILE_BYTES / 9000, rounded up to whole MiB',
  });
export type Config = z.infer<typeof Config>;

/** The worker has no API. */
export const WorkerConfig = z.object({
  ...processSettings,
  ...mongoSettings,
  ...redisSettings,
  ...s3Settings,
  /** Uploads in which no bytes have moved for this long are removed. */
  ABANDONED_UPLOAD_HOURS: wholeNumber(1).default(DAY_HOURS),
  /** How often the worker looks for interrupted or abandoned uploads, in milliseconds. */
  UPLOAD_SWEEP_EVERY_MS: wholeNumber(100).default(10_000),
  /** Larger files get no previews, in bytes. */
  PREVIEW_MAX_FILE_BYTES: wholeNumber(1).default(64 * MIB),
  /** Images with more pixels get no previews. */
  PREVIEW_MAX_PIXELS: wholeNumber(1).default(64_000_000),
  /** Memory of the process that makes the previews of one file, in bytes. It is killed when it needs more. */
  PREVIEW_MEMORY_BYTES: wholeNumber(128 * MIB).default(512 * MIB),
  /** The time in which the previews of one file must be made, in milliseconds. */
  PREVIEW_TIMEOUT_MS: wholeNumber(1000).default(30_000),
  /** Objects that no record names are removed once they are this old. */
  ORPHANED_OBJECT_HOURS: wholeNumber(1).default(2 * DAY_HOURS),
  /** If more of the old objects of a page of the bucket have no record, in percent, nothing is removed. */
  ORPHANED_OBJECT_LIMIT_PERCENT: wholeNumber(1).pipe(z.number().max(100)).default(50),
});
export type WorkerConfig = z.infer<typeof WorkerConfig>;

export const MigrationConfig = z.object({ ...migrationSettings, ...s3Settings });
export type MigrationConfig = z.infer<typeof MigrationConfig>;
