import type { BucketScan } from './bucket-scan.js';

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

/** The records that name what is in the bucket. */
export interface References {
  /** Those of which no file version, upload or draft knows. */
  withoutRecord(stored: readonly Stored[]): Promise<Stored[]>;
  /** Whether one of them has a record. */
  knowsAny(stored: readonly Stored[]): Promise<boolean>;
}

export interface Installations {
  /** The id of this installation; made once and kept in its database. */
  id(): Promise<string>;
}

export interface ScanStore {
  find(): Promise<BucketScan | undefined>;
  save(scan: BucketScan): Promise<void>;
}
