import { nextScan } from './bucket-scan.js';
import type { Bucket, BucketScan, Stored } from './bucket-scan.js';
import type { Installations, References, ScanStore } from './orphans.store.js';

/** Listed in this order, which scans rely on. Everything else in the bucket is left alone. */
const STAGES = [
  { list: 'listObjects', prefix: 'versions/' },
  { list: 'listObjects', prefix: 'tails/' },
  { list: 'listMultiparts', prefix: 'versions/' },
  { list: 'listObjects', prefix: 'previews/' },
] as const;

/** The share of orphans among fewer entries means little. */
const FEWEST_TO_JUDGE = 20;

interface Deps {
  bucket: Bucket;
  references: References;
  scanStore: ScanStore;
  installations: Installations;
  /** Called for each failed removal; the scan continues. */
  onError: (error: unknown, orphan: Stored) => void;
}

export interface SweepOptions {
  /** Younger objects are kept: their record may be pending. */
  olderThanMs: number;
  restMs: number;
  /** Entries per run; at most 1000, the default. */
  limit?: number;
  /** The scan stops at a page with a larger share of orphans among its old entries. 100 allows all. */
  limitPercent: number;
  signal?: AbortSignal;
}

/** So many orphans suggest that the database is older, or belongs to another bucket. */
const isTooMuch = (old: number, orphaned: number, limitPercent: number) =>
  old >= FEWEST_TO_JUDGE && orphaned * 100 > old * limitPercent;

export type OrphanSweep = ReturnType<typeof createOrphanSweep>;

/**
 * Removes objects and multipart uploads without a record. They remain when a process dies between a call to the object
 * store and its record, or when the database is restored from a backup.
 */
export function createOrphanSweep({ bucket, references, scanStore, installations, onError }: Deps) {
  const owner = createBucketOwner({ bucket, references, installations });

  /** Checks again for a record written since the bucket was listed. */
  async function remove(orphan: Stored): Promise<boolean> {
    if ((await references.withoutRecord([orphan])).length === 0) return false;
    if (orphan.multipartId === undefined) await bucket.delete(orphan.key);
    else await bucket.multipart.abort(orphan.key, orphan.multipartId);
    return true;
  }

  async function removeEach(orphans: readonly Stored[]): Promise<{ removed: number; failed: number }> {
    let [removed, failed] = [0, 0];
    for (const orphan of orphans) {
      try {
        if (await remove(orphan)) removed += 1;
      } catch (error) {
        failed += 1;
        onError(error, orphan);
      }
    }
    return { removed, failed };
  }

  async function lookAtPage(current: BucketScan, options: SweepOptions): Promise<BucketScan> {
    const { olderThanMs, limit, limitPercent, signal } = options;
    const { stopped: _stopped, isForeign: _foreign, ...scan } = current;
    if (!(await owner.isOwn(signal))) return { ...scan, isForeign: true };
    const { list, prefix } = STAGES[scan.stage]!;
    const { found, isLast } = await bucket[list]({ prefix, after: scan.after, limit, signal });
    const before = Date.now() - olderThanMs;
    const old = found.filter(({ since }) => since.getTime() <= before);
    const orphans = await references.withoutRecord(old);
    if (isTooMuch(old.length, orphans.length, limitPercent)) {
      return { ...scan, stopped: { old: old.length, orphaned: orphans.length } };
    }
    const { removed, failed } = await removeEach(orphans);
    const counts = {
      examined: scan.examined + found.length,
      removed: scan.removed + removed,
      failed: scan.failed + failed,
      removedEver: scan.removedEver + removed,
    };
    const last = found.at(-1);
    if (!isLast && last) {
      const { key, multipartId } = last;
      return { ...scan, ...counts, after: { key, ...(multipartId !== undefined && { multipartId }) } };
    }
    const { after: _done, ...others } = scan;
    const isEnd = scan.stage + 1 === STAGES.length;
    return { ...others, ...counts, ...(isEnd ? { finishedAt: new Date() } : { stage: scan.stage + 1 }) };
  }

  return {
    /**
     * Continues the scan with one page. A page with too many orphans is left alone and retried by the next run.
     * Concurrent runs are wasteful but harmless.
     * @returns the scan after the page; undefined while the last scan is recent enough
     */
    async run(options: SweepOptions): Promise<BucketScan | undefined> {
      const known = await scanStore.find();
      const finishedAt = known?.finishedAt;
      if (finishedAt && finishedAt.getTime() + options.restMs > Date.now()) return undefined;
      const scan = known && !finishedAt ? known : nextScan(known, new Date());
      const continued = await lookAtPage(scan, options);
      await scanStore.save(continued);
      return continued;
    },
  };
}

const KEY = 'installation';
const PREFIXES = ['versions/', 'tails/'];

interface OwnerDeps {
  bucket: Bucket;
  references: References;
  installations: Installations;
}

/** Protects the objects of another installation, whose records are elsewhere. */
function createBucketOwner({ bucket, references, installations }: OwnerDeps) {
  /** An empty database must not adopt a bucket with foreign content. */
  async function mayAdopt(signal?: AbortSignal): Promise<boolean> {
    let isEmpty = true;
    for (const prefix of PREFIXES) {
      const { found } = await bucket.listObjects({ prefix, signal });
      if (await references.knowsAny(found)) return true;
      isEmpty &&= found.length === 0;
    }
    return isEmpty;
  }

  return {
    /**
     * Whether the bucket belongs to this installation. Adopts an unclaimed one if it is empty or the database knows
     * some of its objects; the first installation wins.
     */
    async isOwn(signal?: AbortSignal): Promise<boolean> {
      const own = await installations.id();
      const found = await bucket.readText(KEY);
      if (found !== undefined) return found === own;
      if (!(await mayAdopt(signal))) return false;
      await bucket.putIfAbsent(KEY, Buffer.from(own));
      return (await bucket.readText(KEY)) === own;
    },
  };
}
