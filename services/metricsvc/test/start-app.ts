import { afterAll, expect } from '@jest/globals';
import { usageBatch } from '@dtplatform/contracts';
import type { UsageRecorded } from '@dtplatform/contracts';
import { silentLogger } from '@dtplatform/logging';
import { ensureIndexes, newId } from '@dtplatform/mongo';
import { createOutbox, defineMessage, queueModels, startRelay } from '@dtplatform/queue';
import { eventually, startService } from '@dtplatform/testing';
import { WorkerConfig } from '../src/config.js';
import type { UsageSource } from '../src/reconciliations/compare.js';
import { createApp, createDeps, createWorkerDeps, service as metricsvc } from '../src/service.js';

export type Change = UsageRecorded['_changes'][number];

const usage = defineMessage(usageBatch);

const ELSEWHERE = {
  FILESVC_URL: 'http://127.0.0.1:9',
  ITEMSVC_URL: 'http://127.0.0.1:9',
  PASSPORTSVC_URL: 'http://127.0.0.1:9',
};

export type TestApp = Awaited<ReturnType<typeof startApp>>;

/** The real application with its worker, and an outbox such as other services have. */
export async function startApp(
  options: { workerMongoUrl?: string; sources?: UsageSource[]; environment?: Record<string, string> } = {},
) {
  const service = await startService({
    ...metricsvc,
    Config: WorkerConfig,
    environment: { ...ELSEWHERE, ...options.environment },
    createApp,
    createDeps: ({ config, sources, ...context }) => createDeps(config, context, sources),
    async startWorker(process, queueOptions) {
      const { sources = [] } = options;
      const deps = await createWorkerDeps(process.config, process, { sources, sweepEveryMs: 200 });
      return metricsvc.startJobs(deps, queueOptions);
    },
  });
  const { mongo, env, queuePrefix, deps } = service;
  const log = silentLogger();
  await ensureIndexes(mongo, queueModels, log);
  const openRelay = () => startRelay({ mongo, redisUrl: env.REDIS_URL!, log, queuePrefix });
  let relay = await openRelay();
  const { jobs } = await service.startWorker(options.workerMongoUrl ? { MONGO_URL: options.workerMongoUrl } : {});
  const outbox = createOutbox(mongo);
  const gauge = (name: string) => jobs.gauges!.find((one) => one.name === name)!.read();
  const jobKeys = () =>
    deps.redis.client.keys(`{${queuePrefix}.${usage.queue}}:${usage.queue}:${'[0-9a-f]'.repeat(24)}*`);

  return {
    ...service,
    /** Sends usage. The same id sends the same message again. */
    send: async (namespace: string, changes: Change[], { at = Date.now(), id = newId() } = {}) => {
      const message = { _namespace: namespace, _at: at, _changes: changes };
      await mongo.transaction((session) => outbox.put(session, usage, { messages: [message] }, { id }));
      return id;
    },
    pauseRelay: () => relay.stop(),
    resumeRelay: async () => void (relay = await openRelay()),
    gauge,
    keptUsage: () => gauge('usage_unknown_sums'),
    /** Resolves when all messages have been processed. */
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

/** The application of a test file, and the token of a trusted client. It stops after the last test. */
export async function openApp(options: Parameters<typeof startApp>[0] = {}) {
  const app = await startApp(options);
  afterAll(() => app.stop());
  return { app, platform: await app.as('platform', 'trusted') };
}
