import { workspaceDeleted } from '@dtplatform/contracts';
import { startSweep } from '@dtplatform/lease';
import { emptyNamespaces, startRelay, startWorker } from '@dtplatform/queue';
import type { RelayOptions } from '@dtplatform/queue';
import type { Jobs } from '@dtplatform/service';
import type { WorkerDeps } from '../deps.js';
import { contentQueue, namespaceQueue, previewQueue, removalQueue } from '../store/messages.js';
import { discardContent } from './discard-content.job.js';
import { makePreviews } from './make-previews.job.js';
import { removeFiles } from './remove-files.job.js';
import { removeOrphans } from './remove-orphans.job.js';

const HOUR_MS = 3_600_000;

/**
 * Discards content, makes previews, removes large folders, empties the namespaces of deleted workspaces, relays messages to
 * their queues, recovers uploads and removes orphaned objects, until the lifecycle stops.
 */
export async function startJobs(
  deps: WorkerDeps,
  options: Pick<RelayOptions, 'queuePrefix' | 'redelivery'> = {},
): Promise<Jobs> {
  const { config, mongo, uploadSweep, namespaceContents, previewMaker, tasks, treeRemoval, log, lifecycle } = deps;
  const queues = { redisUrl: config.REDIS_URL, log, ...options };
  const workers = [
    await startWorker({
      ...queues,
      catalogue: contentQueue,
      handlers: { 'content.discard.v1': discardContent(deps) },
    }),
    await startWorker({
      ...queues,
      catalogue: namespaceQueue,
      handlers: { [workspaceDeleted.name]: emptyNamespaces(namespaceContents, tasks) },
    }),
    await startWorker({
      ...queues,
      catalogue: previewQueue,
      handlers: { 'previews.make.v1': makePreviews(previewMaker) },
      // Each job needs as much memory as PREVIEW_MEMORY_BYTES allows.
      concurrency: 1,
    }),
    await startWorker({
      ...queues,
      catalogue: removalQueue,
      handlers: { 'files.remove.v1': removeFiles(tasks, treeRemoval) },
    }),
  ];
  lifecycle.onStop('workers', () => Promise.all(workers.map((worker) => worker.stop(config.SHUTDOWN_GRACE_MS))));

  const relay = await startRelay({ ...queues, mongo });
  lifecycle.onStop('relay', () => relay.stop());

  const recover = () => uploadSweep.run(config.ABANDONED_UPLOAD_HOURS * HOUR_MS);
  const everyMs = config.UPLOAD_SWEEP_EVERY_MS;
  const sweep = startSweep({ what: 'uploads', recover, log, everyMs, idleMs: 3 * everyMs });
  lifecycle.onStop('upload sweep', () => sweep.stop());
  return { workers, relay, gauges: removeOrphans(deps) };
}
