import { afterAll } from '@jest/globals';
import { loadConfig } from '@dtplatform/config';
import type { PermissionEntry } from '@dtplatform/contracts';
import { sweepGrants } from '@dtplatform/mongo';
import { createOutbox } from '@dtplatform/queue';
import { startService } from '@dtplatform/testing';
import { Config, WorkerConfig } from '../src/config.js';
import { itemJobs } from '../src/nameduseritems/nameduseritems.module.js';
import { createApp, createDeps, createWorkerDeps, service as itemsvc } from '../src/service.js';
import { filesInMemory } from './files-in-memory.js';

export const API = '/itemsvc/api/v1';
export const NS = 'tower_a1b2c3d4';
export const OTHER = 'annex_e5f6a7b8';

/** An operation in MongoDB's profile. */
interface Profile {
  ns: string;
  command: object;
  planSummary?: string;
  docsExamined?: number;
  responseLength: number;
}

/** Minutes, in production. */
const redelivery = { checkAfterMs: 500, maxCheckAfterMs: 1_000 };

/** The real application with its worker, and files in memory in place of filesvc. */
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
    /** A caller with actions in a namespace. */
    async caller(id: string, namespace: string, actions: PermissionEntry['_actions'] = ['*'], irn = '*:*:*') {
      await service.grants.allow(id, namespace, irn, actions);
      return { authorization: await service.as(id) };
    },
    /** A caller with actions on the resources of a description in `NS`. */
    async holder(id: string, _actions: PermissionEntry['_actions'], _resourceDesc: PermissionEntry['_resourceDesc']) {
      await service.grants.grant([{ _namespace: NS, _resourceDesc, _user: { _type: 'user', _id: id }, _actions }]);
      return { authorization: await service.as(id) };
    },
    /** Announces the deletion of a workspace, as passportsvc does. */
    announce: (..._namespaces: string[]) =>
      service.mongo.transaction((session) =>
        createOutbox(service.mongo).put(session, itemJobs.messages['workspace.deleted.v1'], {
          _id: 'a'.repeat(24),
          _namespaces,
        }),
      ),
    /** MongoDB's profile of a call in some collections. */
    async profile(collections: string[], call: () => PromiseLike<unknown>): Promise<Profile[]> {
      const { db } = service.mongo;
      const ns = { $in: collections.map((name) => `${db.databaseName}.${name}`) };
      await db.command({ profile: 2, filter: { ns } });
      await call();
      await db.command({ profile: 0 });
      // MongoDB sometimes records others in spite of its filter.
      const found = await db.collection<Profile>('system.profile').find({ ns }).toArray();
      await db.collection('system.profile').drop();
      return found;
    },
    /** A collection of documents whose ids are texts. */
    stored: (name: string) => service.mongo.db.collection<{ _id: string; [field: string]: unknown }>(name),
  };
}

// A type, not an interface: headers require an index signature.
export type Caller = { authorization: string };
export type Here = Awaited<ReturnType<typeof openApp>>;

/** The application of a test file, and Olga, who may do everything in the namespaces. It stops after the last test. */
export async function openApp(...namespaces: string[]) {
  const app = await startApp();
  afterAll(() => app.stop());
  for (const namespace of namespaces) await app.caller('olga', namespace);
  return { app, owner: { authorization: await app.as('olga') } };
}
