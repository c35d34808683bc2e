import { startExclusiveSweep } from '@dtplatform/lease';
import { createLease } from '@dtplatform/mongo';
import type { WorkerDeps } from '../deps.js';

/** Repairs and completes what earlier versions have stored, a batch at a time, in one process at a time. */
export function walkOnce({ config, mongo, previewBackfill, ancestorRepair, log, lifecycle }: WorkerDeps): void {
  const lease = createLease(mongo, 'walks');

  async function work(): Promise<boolean> {
    const repaired = await ancestorRepair.run();
    if (repaired && (repaired.changed > 0 || repaired.hasEnded))
      log.info({ changed: repaired.changed }, 'compared the folders above files with those of their parents');
    const backfilled = await previewBackfill.run();
    if (backfilled?.finishedAt)
      log.info({ requested: backfilled.changed }, 'requested the previews of all older versions');
    return repaired !== undefined || backfilled !== undefined;
  }

  const everyMs = config.UPLOAD_SWEEP_EVERY_MS;
  const sweep = startExclusiveSweep({ what: 'walks', lease, work, log, everyMs, idleMs: 6 * everyMs });
  lifecycle.onStop('walks', () => sweep.stop());
}
