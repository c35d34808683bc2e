import { startService } from '@dtplatform/testing';
import { Config, WorkerConfig } from '../src/config.js';
import { createApp, createDeps, createWorkerDeps, service as filesvc } from '../src/service.js';
import { RENDERER } from './renderer-program.js';

export const FILES = '/filesvc/api/v1/files';
export const NS = 'tower_1';

/** Minutes, in production. */
const redelivery = { checkAfterMs: 500, maxCheckAfterMs: 1_000 };

export type TestApp = Awaited<ReturnType<typeof startApp>>;

/** The real application with its own database and bucket. Olga may do everything in the namespace. */
export async function startApp(environment: Record<string, string> = {}) {
  const service = await startService({
    ...filesvc,
    Config: Config.safeExtend(WorkerConfig.shape),
    environment,
    createApp,
    createDeps: ({ config, sources, ...context }) => createDeps(config, context, sources),
    startWorker: async ({ config, ...context }, options) =>
      filesvc.startJobs(await createWorkerDeps(config, context, { program: RENDERER }), { ...options, redelivery }),
  });
  await service.deps.objects.ensureBucket();
  await service.grants.allow('olga', NS, '*:*:*', ['*']);
  return { ...service, olga: await service.as('olga') };
}
