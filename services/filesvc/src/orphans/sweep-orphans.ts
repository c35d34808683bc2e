import { nextScan } from './bucket-scan.js';
import type { Bucket, BucketScan, Stored } from './bucket-scan.js';
import type { Installations, References, ScanStore } from './orphans.store.js';

/** What is listed, in this order: scans store the place. Anything else in the bucket is left alone. */
const STAGES = [
  { list: 'listObjects', prefix: 'versions/' },
  { list: 'listObjects', prefix: 'tails/' },
  { list: 'listMultiparts', prefix: 'versions/' },
  { list: 'listObjects', prefix: 'previews/' },
] as const;

/** Of fewer entries, the share that is orphaned says little. */
const FEWEST_TO_JUDGE = 20;

interface Deps {
  bucket: Bucket;
  references: References;
  scanStore: ScanStore;
  installations: Installations;
  /** Called for each orphan that could not be removed; the scan continues with the others. */
  onError: (error: unknown, orphan: Stored) => void;
}

export interface SweepOptions {
  /** Only what is older is removed: a record may not have been written yet. */
  olderThanMs: number;
  /** How long after the end of a scan the next one begins. */
  restMs: number;
  /** The most entries of the bucket that one run looks at; at most 1000, which is also the default. */
  limit?: number;
  /** If more of the old entries of a page are orphaned, in percent, the scan stops there. 100 allows all. */
  limitPercent: number;
  signal?: AbortSignal;
}

/** So many orphans rather mean that the database is not the one of this bucket, or is older. */
const isTooMuch = (old: number, orphaned: number, limitPercent: number) =>
  old >= FEWEST_TO_JUDGE && orphaned * 100 > old * limitPercent;

export type OrphanSweep = ReturnType<typeof createOrphanSweep>;

/**
 * Removes objects and unfinished multipart uploads that no record names. They are left behind when a process dies between a
 * call to the object store and its record, or when the database is restored from a backup.
 */
export function createOrphanSweep({ bucket, references, scanStore, installations, onError }: Deps) {
  const owner = createBucketOwner({ bucket, references, installations });

  /** The record may have been written since the bucket was listed. */
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
     * Continues the scan with one page of the bucket. A page of which too much is orphaned is left as it is and looked at
     * again by the next run. One process at a time should do so; several do no harm.
     * @returns the scan after the page; undefined while the last one is recent enough
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

/** The object that holds the id of the installation whose bucket this is. */
const KEY = 'installation';
const PREFIXES = ['versions/', 'tails/'];

interface OwnerDeps {
  bucket: Bucket;
  references: References;
  installations: Installations;
}

/** Keeps a database from removing objects of another one, whose records it does not have. */
function createBucketOwner({ bucket, references, installations }: OwnerDeps) {
  /** An empty database must not adopt a bucket that has content: that of somebody else. */
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
     * Whether the bucket belongs to this installation. One that belongs to nobody is adopted if it is empty or if the
     * database knows some of its objects; the first installation that does so keeps it.
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
