import type { Mongo } from '@dtplatform/mongo';
import type { ObjectStore } from '@dtplatform/object-store';
import { startRelay, startSweep, startWorker } from '@dtplatform/queue';
import type { Jobs, ProcessContext } from '@dtplatform/service';
import type { WorkerConfig } from '../config.js';
import { createStores } from '../deps.js';
import { createUploadFinisher } from '../domain/uploads/finish-upload.js';
import { createUploadSweep } from '../domain/uploads/sweep-uploads.js';
import { contentQueue } from '../store/messages.js';
import { discardContent } from './discard-content.job.js';

const HOUR_MS = 3_600_000;

export interface WorkerDeps extends ProcessContext {
  config: WorkerConfig;
  mongo: Mongo;
  objects: ObjectStore;
}

/** Discards content, relays messages to their queues and recovers uploads until the lifecycle stops. */
export async function startJobs(
  { config, mongo, objects, ...context }: WorkerDeps,
  options: { queuePrefix?: string } = {},
): Promise<Jobs> {
  const { log, lifecycle } = context;
  const redisUrl = config.REDIS_URL;

  const handlers = { 'content.discard.v1': discardContent(objects) };
  const worker = await startWorker({ catalogue: contentQueue, handlers, redisUrl, log, ...options });
  lifecycle.onStop('content worker', () => worker.stop(config.SHUTDOWN_GRACE_MS));

  const relay = await startRelay({ mongo, redisUrl, log, ...options });
  lifecycle.onStop('relay', () => relay.stop());

  const stores = createStores(mongo);
  const finisher = createUploadFinisher({ ...stores, objects });
  const onError = (err: unknown, uploadId: string) => log.warn({ err, uploadId }, 'an upload could not be recovered');
  const uploads = createUploadSweep({ ...stores, finisher, onError });
  const recover = () => uploads.run(config.ABANDONED_UPLOAD_HOURS * HOUR_MS);
  const sweep = startSweep({ what: 'uploads', recover, log, everyMs: config.UPLOAD_SWEEP_EVERY_MS });
  lifecycle.onStop('upload sweep', () => sweep.stop());
  return { workers: [worker], relay };
}
