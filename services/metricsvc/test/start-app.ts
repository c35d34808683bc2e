import { expect } from '@jest/globals';
import { usageRecorded } from '@dtplatform/contracts';
import type { UsageRecorded } from '@dtplatform/contracts';
import { silentLogger } from '@dtplatform/logging';
import { ensureIndexes, newId } from '@dtplatform/mongo';
import { createOutbox, defineMessage, queueModels, startRelay } from '@dtplatform/queue';
import { openDatabase } from '@dtplatform/service';
import { eventually, startService } from '@dtplatform/testing';
import { createApp } from '../src/app.js';
import { Config } from '../src/config.js';
import { createDeps } from '../src/deps.js';
import { startJobs } from '../src/jobs/start-jobs.js';
import { schema } from '../src/store/schema.js';

export type Change = UsageRecorded['_changes'][number];

const usage = defineMessage(usageRecorded);

export type TestApp = Awaited<ReturnType<typeof startApp>>;

/** The real application and its worker, and an outbox as other services have it. */
export async function startApp(options: { workerMongoUrl?: string } = {}) {
  const service = await startService({
    name: 'metricsvc',
    schema,
    Config,
    createApp,
    createDeps: ({ config, sources, ...context }) => createDeps(config, context, sources),
    async startWorker(process, queueOptions) {
      const { mongo } = await openDatabase({ name: 'metricsvc-worker', schema }, process.config, process);
      return startJobs({ ...process, mongo }, { ...queueOptions, sweepEveryMs: 200 });
    },
  });
  const { mongo, env, queuePrefix, deps } = service;
  const log = silentLogger();
  await ensureIndexes(mongo, queueModels, log);
  const relay = await startRelay({ mongo, redisUrl: env.REDIS_URL!, log, queuePrefix });
  const { jobs } = await service.startWorker(options.workerMongoUrl ? { MONGO_URL: options.workerMongoUrl } : {});
  const outbox = createOutbox(mongo);
  const jobKeys = () =>
    deps.redis.client.keys(`{${queuePrefix}.${usage.queue}}:${usage.queue}:${'[0-9a-f]'.repeat(24)}*`);

  return {
    ...service,
    /** Sends usage. Reusing an id sends the same message again. */
    send: async (namespace: string, changes: Change[], { at = Date.now(), id = newId() } = {}) => {
      const message = { _namespace: namespace, _at: at, _changes: changes };
      // The queue forgets the job when it ends, so that the same message can be delivered again.
      await mongo.transaction((session) => outbox.put(session, usage, message, { id, forget: true }));
      return id;
    },
    /** As the worker's metric reports it. */
    keptUsage: () => jobs.gauges!.find(({ name }) => name === 'usage_unknown_sums')!.read(),
    /** Resolves when every sent message has been processed. */
    settled: () =>
      eventually(
        async () => {
          expect(await mongo.db.collection('outbox').countDocuments()).toBe(0);
          expect(await jobKeys()).toEqual([]);
        },
        { timeoutMs: 30_000 },
      ),
    async stop() {
      await relay.stop();
      await service.stop();
    },
  };
}
