import { z } from 'zod';

/** The state of the orphan search: a single document that each scan continues. */
export const BucketScan = z.object({
  _id: z.string(),
  stage: z.int(),
  /** The last entry examined in this stage. */
  after: z.object({ key: z.string(), multipartId: z.string().optional() }).optional(),
  startedAt: z.date(),
  finishedAt: z.date().optional(),
  /** Objects and multipart uploads. */
  examined: z.int(),
  removed: z.int(),
  /** Failed removals; the next scan retries them. */
  failed: z.int(),
  /** Number of objects removed by all scans. */
  removedEver: z.int(),
  /** Nothing is removed: the bucket is not known to belong to this installation. */
  isForeign: z.literal(true).optional(),
  /** Nothing is removed: too many old entries of one page are orphans. */
  stopped: z.object({ old: z.int(), orphaned: z.int() }).optional(),
});
export type BucketScan = z.infer<typeof BucketScan>;

export const SCAN_ID = 'orphans';

export const nextScan = (before: BucketScan | undefined, startedAt: Date): BucketScan => ({
  ...{ _id: SCAN_ID, stage: 0, startedAt, examined: 0, removed: 0, failed: 0 },
  removedEver: before?.removedEver ?? 0,
});

export interface Stored {
  key: string;
  multipartId?: string;
  since: Date;
}

interface ListOptions {
  prefix: string;
  after?: { key: string; multipartId?: string };
  limit?: number;
  signal?: AbortSignal;
}

/** Lists in key order. */
export interface Bucket {
  listObjects(options: ListOptions): Promise<{ found: Stored[]; isLast: boolean }>;
  listMultiparts(options: ListOptions): Promise<{ found: Stored[]; isLast: boolean }>;
  readText(key: string): Promise<string | undefined>;
  /** Does nothing if the object exists. */
  putIfAbsent(key: string, body: Buffer): Promise<void>;
  delete(key: string): Promise<void>;
  multipart: { abort(key: string, multipartId: string): Promise<void> };
}
