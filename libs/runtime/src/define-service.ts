import { workspaceDeleted } from '@dtplatform/contracts';
import type { Mount } from '@dtplatform/http';
import { defineSchema } from '@dtplatform/mongo';
import type { Migration, Mongo, Schema } from '@dtplatform/mongo';
import { emptyNamespaces, queueModels } from '@dtplatform/queue';
import type { NamespaceContents, Tasks } from '@dtplatform/queue';
import type { Jobs } from './jobs.js';
import type { AnyResource, ApiPartsOf, QueueJobs, WorkerPartsOf } from './resource.js';
import type { ServiceApi } from './service-app.js';
import type { ProcessContext } from './service-config.js';
import { startQueues } from './start-queues.js';
import type { QueueOptions } from './start-queues.js';

interface ServiceOptions<R extends AnyResource> extends Omit<ServiceApi, 'mounts' | 'tags'> {
  name: string;
  /** The first matching route table handles a request. Deleted namespaces are emptied in the same order. */
  resources: readonly R[];
  /** Append only; never change one. */
  migrations?: readonly Migration[];
  /** Whether its writes put messages into an outbox, which its worker relays. */
  hasOutbox?: boolean;
  /** The queue with messages about deleted workspaces. */
  namespaceJobs?: QueueJobs['catalogue'];
  /** Route tables at other prefixes. */
  mounts?: (parts: ApiPartsOf<R>) => Mount[];
}

/** What every worker has. */
interface WorkerParts extends ProcessContext {
  config: { REDIS_URL: string; SHUTDOWN_GRACE_MS: number };
  mongo: Mongo;
  tasks?: Tasks;
}

export interface Service<R extends AnyResource> {
  name: string;
  schema: Schema;
  createApi: (parts: ApiPartsOf<R>) => ServiceApi;
  /** Starts the jobs of a worker, until its lifecycle stops. */
  startJobs: (parts: WorkerPartsOf<R> & WorkerParts, options?: QueueOptions) => Promise<Jobs>;
}

/** Combines the resources of a service into its database schema, its API and the jobs of its worker. */
export function defineService<R extends AnyResource>({
  name,
  resources,
  migrations = [],
  hasOutbox = false,
  namespaceJobs,
  mounts = () => [],
  ...api
}: ServiceOptions<R>): Service<R> {
  const models = resources.flatMap((one) => one.models ?? []);
  return {
    name,
    schema: defineSchema({ models: [...(hasOutbox ? queueModels : []), ...models], migrations: [...migrations] }),
    createApi: (parts) => ({
      ...api,
      tags: Object.assign({}, ...resources.map(({ tags }) => tags)) as Record<string, string>,
      mounts: [
        { prefix: `/${name}/api/v1`, tables: resources.flatMap((one) => one.routes?.(parts) ?? []) },
        ...mounts(parts),
      ],
    }),
    async startJobs(parts, options = {}) {
      const jobs = resources.flatMap((one) => one.jobs?.(parts) ?? []);
      const contents = resources.flatMap((one) => one.contents?.(parts) ?? []);
      if (contents.length > 0 && !namespaceJobs)
        throw new Error(`${name} does not receive the deletions of workspaces.`);
      if (namespaceJobs) jobs.push(jobsOfDeletions(namespaceJobs, contents, parts.tasks));
      const { workers, relay } = await startQueues(jobs, { ...parts, ...options, hasOutbox });
      return { workers, ...(relay && { relay }), gauges: resources.flatMap((one) => one.sweeps?.(parts) ?? []) };
    },
  };
}

const jobsOfDeletions = (catalogue: QueueJobs['catalogue'], contents: NamespaceContents[], tasks?: Tasks) => ({
  catalogue,
  handlers: { [workspaceDeleted.name]: emptyNamespaces(allOf(contents), tasks) },
});

/** The contents of all resources, in order. */
const allOf = (contents: NamespaceContents[]): NamespaceContents => ({
  async removeBatch(namespaces) {
    for (const each of contents) if (await each.removeBatch(namespaces)) return true;
    return false;
  },
});
