import { z } from 'zod';

/** How far the search for orphaned objects has come. There is one such document; each scan continues it. */
export const BucketScan = z.object({
  _id: z.string(),
  /** Index of what is listed now. */
  stage: z.int(),
  /** The last entry that was looked at in this stage. */
  after: z.object({ key: z.string(), multipartId: z.string().optional() }).optional(),
  startedAt: z.date(),
  /** Once everything was looked at. */
  finishedAt: z.date().optional(),
  /** Objects and multipart uploads that this scan looked at. */
  examined: z.int(),
  /** Removed by this scan. */
  removed: z.int(),
  /** Removals that failed; the next scan tries them again. */
  failed: z.int(),
  /** Removed by all scans. */
  removedEver: z.int(),
  /** It removes nothing at present: the bucket is not known to belong to this installation. */
  isForeign: z.literal(true).optional(),
  /** It removes nothing at present: of the old entries of one page, too many are orphaned. */
  stopped: z.object({ old: z.int(), orphaned: z.int() }).optional(),
});
export type BucketScan = z.infer<typeof BucketScan>;

export const SCAN_ID = 'orphans';

/** The next scan. */
export const nextScan = (before: BucketScan | undefined, startedAt: Date): BucketScan => ({
  ...{ _id: SCAN_ID, stage: 0, startedAt, examined: 0, removed: 0, failed: 0 },
  removedEver: before?.removedEver ?? 0,
});

/** An object or an unfinished multipart upload in the bucket. */
export interface Stored {
  key: string;
  multipartId?: string;
  /** When it was stored or begun. */
  since: Date;
}

interface ListOptions {
  prefix: string;
  after?: { key: string; multipartId?: string };
  limit?: number;
  signal?: AbortSignal;
}

/** The bucket, in the order of its keys. */
export interface Bucket {
  listObjects(options: ListOptions): Promise<{ found: Stored[]; isLast: boolean }>;
  listMultiparts(options: ListOptions): Promise<{ found: Stored[]; isLast: boolean }>;
  /** Undefined if there is no such object. */
  readText(key: string): Promise<string | undefined>;
  /** Does nothing if there is such an object. */
  putIfAbsent(key: string, body: Buffer): Promise<void>;
  delete(key: string): Promise<void>;
  multipart: { abort(key: string, multipartId: string): Promise<void> };
}
