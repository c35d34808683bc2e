import type { ReadinessChecks } from '@dtplatform/http';
import { connectMongo } from '@dtplatform/mongo';
import { startRelay, startWorker } from '@dtplatform/queue';
import type { ProcessContext } from '@dtplatform/service';
import type { WorkerConfig } from '../config.js';
import { createStores, openObjects } from '../deps.js';
import { createUploadFinisher } from '../domain/uploads/finish-upload.js';
import { createUploadSweep } from '../domain/uploads/sweep-uploads.js';
import { contentQueue } from '../store/messages.js';
import { discardContent } from './discard-content.job.js';
import { every } from './every.js';

const HOUR_MS = 3_600_000;

/** Carries messages to their queues, discards content and settles uploads, until the lifecycle stops. */
export async function startFileWorker(
  config: WorkerConfig,
  context: ProcessContext,
  options: { queuePrefix?: string } = {},
): Promise<{ checks: ReadinessChecks }> {
  const { log, lifecycle } = context;
  const { MONGO_URL: url, MONGO_DB: database, REDIS_URL: redisUrl } = config;
  const mongo = await connectMongo({ url, database, appName: 'filesvc-worker', log });
  lifecycle.onStop('mongodb', () => mongo.close());
  const objects = openObjects(config, context);

  const relay = await startRelay({ mongo, redisUrl, log, ...options });
  lifecycle.onStop('relay', () => relay.stop());
  const handlers = { 'content.discard.v1': discardContent(objects) };
  const worker = await startWorker({ catalogue: contentQueue, handlers, redisUrl, log, ...options });
  lifecycle.onStop('content worker', () => worker.stop());

  const stores = createStores(mongo);
  const finisher = createUploadFinisher({ ...stores, objects });
  const onError = (err: unknown, uploadId: string) => log.warn({ err, uploadId }, 'an upload could not be settled');
  const sweep = createUploadSweep({ ...stores, finisher, onError });
  const abandonedAfterMs = config.ABANDONED_UPLOAD_HOURS * HOUR_MS;
  every(config.UPLOAD_SWEEP_EVERY_MS, 'upload sweep', () => sweep.run(abandonedAfterMs), context);
  return { checks: { mongodb: () => mongo.ping(), redis: () => worker.ping(), s3: () => objects.ping() } };
}
