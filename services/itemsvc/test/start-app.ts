import { loadConfig } from '@dtplatform/config';
import type { PermissionEntry } from '@dtplatform/contracts';
import { sweepGrants } from '@dtplatform/mongo';
import { startService } from '@dtplatform/testing';
import { Config, WorkerConfig } from '../src/config.js';
import { createApp, createDeps, createWorkerDeps, service as itemsvc } from '../src/service.js';
import { filesInMemory } from './files-in-memory.js';

export const API = '/itemsvc/api/v1';

/** Minutes, in production. */
const redelivery = { checkAfterMs: 500, maxCheckAfterMs: 1_000 };

export type TestApp = Awaited<ReturnType<typeof startApp>>;

/** The real application with its worker; files are a table in memory instead of filesvc. */
export async function startApp(environment: Record<string, string> = {}) {
  const files = filesInMemory();
  const service = await startService({
    ...itemsvc,
    Config,
    environment,
    createApp,
    async createDeps({ config, sources, ...context }) {
      const deps = await createDeps(config, context, { ...sources, files });
      sweepGrants(deps);
      return deps;
    },
    async startWorker(process, options) {
      const config = loadConfig(WorkerConfig, process.env);
      const deps = await createWorkerDeps(config, process, { refreshSourcesMs: 200 });
      return itemsvc.startJobs(deps, { ...options, redelivery });
    },
  });
  return {
    ...service,
    files,
    /** A caller who holds actions in a namespace. */
    async caller(id: string, namespace: string, actions: PermissionEntry['_actions'] = ['*'], irn = '*:*:*') {
      await service.grants.allow(id, namespace, irn, actions);
      return { authorization: await service.as(id) };
    },
  };
}
