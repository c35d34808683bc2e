import { startSweep } from '@dtplatform/lease';
import { startRelay, startWorker } from '@dtplatform/queue';
import type { RelayOptions } from '@dtplatform/queue';
import type { Jobs } from '@dtplatform/service';
import type { WorkerDeps } from '../deps.js';
import { contentQueue } from '../store/messages.js';
import { discardContent } from './discard-content.job.js';

const HOUR_MS = 3_600_000;

/** Discards content, relays messages to their queues and recovers uploads until the lifecycle stops. */
export async function startJobs(
  { config, mongo, objects, uploadSweep, log, lifecycle }: WorkerDeps,
  options: Pick<RelayOptions, 'queuePrefix' | 'redelivery'> = {},
): Promise<Jobs> {
  const redisUrl = config.REDIS_URL;

  const handlers = { 'content.discard.v1': discardContent(objects) };
  const worker = await startWorker({ catalogue: contentQueue, handlers, redisUrl, log, ...options });
  lifecycle.onStop('content worker', () => worker.stop(config.SHUTDOWN_GRACE_MS));

  const relay = await startRelay({ mongo, redisUrl, log, ...options });
  lifecycle.onStop('relay', () => relay.stop());

  const recover = () => uploadSweep.run(config.ABANDONED_UPLOAD_HOURS * HOUR_MS);
  const sweep = startSweep({ what: 'uploads', recover, log, everyMs: config.UPLOAD_SWEEP_EVERY_MS });
  lifecycle.onStop('upload sweep', () => sweep.stop());
  return { workers: [worker], relay };
}
