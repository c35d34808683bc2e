import { startExclusiveSweep } from '@dtplatform/lease';
import type { NamedLease } from '@dtplatform/lease';
import { createLease } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { Jobs, ProcessContext } from '@dtplatform/runtime';
import type { WorkerConfig } from '../config.js';
import type { BucketScan } from './bucket-scan.js';
import type { ScanStore } from './orphans.store.js';
import type { OrphanSweep } from './sweep-orphans.js';

const HOUR_MS = 3_600_000;
const REST_MS = 24 * HOUR_MS;
const FOREIGN =
  'no orphaned objects are removed: the bucket belongs to another installation. Check MONGO_URL and S3_BUCKET; ' +
  'if they are right, write the bucketId from the collection installations to the object installation in the bucket';
const STOPPED =
  'no orphaned objects are removed: there are so many that the database and the bucket may not belong together. ' +
  'Check MONGO_URL, S3_BUCKET and the last restore; set ORPHANED_OBJECT_LIMIT_PERCENT to 100 to remove them anyway';

const isStopped = (scan: BucketScan | undefined) => scan?.isForeign === true || scan?.stopped !== undefined;

interface Parts extends ProcessContext {
  config: WorkerConfig;
  mongo: Mongo;
  orphanSweep: OrphanSweep;
  scanStore: ScanStore;
  backupLease: Pick<NamedLease, 'isHeld'>;
}

/** Examines one page of the bucket per run, in one process at a time. */
export function removeOrphans({
  config,
  mongo,
  orphanSweep,
  backupLease,
  scanStore,
  log,
  lifecycle,
}: Parts): NonNullable<Jobs['gauges']> {
  const lease = createLease(mongo, 'bucket-scan');
  const olderThanMs = config.ORPHANED_OBJECT_HOURS * HOUR_MS;
  const limitPercent = config.ORPHANED_OBJECT_LIMIT_PERCENT;
  let wasStopped = false;

  /** Logs once per stop, since a stopped scan keeps retrying. */
  function reportStop(scan: BucketScan): void {
    if (!wasStopped && scan.isForeign) log.error(FOREIGN);
    if (!wasStopped && scan.stopped) log.error({ ...scan.stopped, after: scan.after, limitPercent }, STOPPED);
    wasStopped = isStopped(scan);
  }

  async function work(signal: AbortSignal): Promise<boolean> {
    if (await backupLease.isHeld()) return false;
    const scan = await orphanSweep.run({ olderThanMs, limitPercent, restMs: REST_MS, signal });
    if (!scan) return false;
    reportStop(scan);
    if (scan.finishedAt) reportEnd(scan, scan.finishedAt);
    return true;
  }

  function reportEnd({ startedAt, examined, removed, failed }: BucketScan, finishedAt: Date): void {
    const report = { examined, removed, failed, durationMs: finishedAt.getTime() - startedAt.getTime() };
    log.info(report, 'scanned the bucket for orphaned objects');
  }

  const everyMs = config.UPLOAD_SWEEP_EVERY_MS;
  const sweep = startExclusiveSweep({ what: 'orphaned objects', lease, work, log, everyMs, idleMs: 6 * everyMs });
  lifecycle.onStop('orphan sweep', () => sweep.stop());

  const ageSec = (since: Date | undefined) => (since ? (Date.now() - since.getTime()) / 1000 : 0);
  return [
    {
      name: 'orphaned_objects_removed',
      help: 'Removed objects and multipart uploads that no record referred to.',
      read: async () => (await scanStore.find())?.removedEver ?? 0,
    },
    {
      name: 'orphaned_objects_failed',
      help: 'Orphaned objects that the latest scan of the bucket could not remove.',
      read: async () => (await scanStore.find())?.failed ?? 0,
    },
    {
      name: 'bucket_scan_stopped',
      help: '1 while the scan removes nothing because too many objects have no record or the bucket belongs to another installation.',
      read: async () => (isStopped(await scanStore.find()) ? 1 : 0),
    },
    {
      name: 'bucket_scan_age_seconds',
      help: 'Time since the latest scan of the bucket ended, or since the current one began.',
      read: async () => {
        const scan = await scanStore.find();
        return ageSec(scan?.finishedAt ?? scan?.startedAt);
      },
    },
  ];
}
