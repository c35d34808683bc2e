import type { PermissionEntry } from '@dtplatform/contracts';
import { loadConfig } from '@dtplatform/config';
import { sweepGrants } from '@dtplatform/mongo';
import { openDatabase } from '@dtplatform/service';
import { startService } from '@dtplatform/testing';
import { createApp } from '../src/app.js';
import { Config, WorkerConfig } from '../src/config.js';
import { createDeps } from '../src/deps.js';
import { startJobs } from '../src/jobs/start-jobs.js';
import { schema } from '../src/store/schema.js';
import { filesInMemory } from './files-in-memory.js';

export const API = '/itemsvc/api/v1';

/** Minutes, in production. */
const redelivery = { checkAfterMs: 500, maxCheckAfterMs: 1_000 };

export type TestApp = Awaited<ReturnType<typeof startApp>>;

/** The real application with its worker; files are a table in memory instead of filesvc. */
export async function startApp(environment: Record<string, string> = {}) {
  const files = filesInMemory();
  const service = await startService({
    name: 'itemsvc',
    schema,
    Config,
    environment,
    createApp,
    async createDeps({ config, sources, ...context }) {
      const deps = await createDeps(config, context, { ...sources, files });
      sweepGrants(deps);
      return deps;
    },
    async startWorker(process, options) {
      const { mongo } = await openDatabase({ name: 'itemsvc-worker', schema }, process.config, process);
      const config = loadConfig(WorkerConfig, process.env);
      return startJobs({ ...process, config, mongo }, { ...options, redelivery, refreshSourcesMs: 200 });
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
