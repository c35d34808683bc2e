import type { RouteTable } from '@dtplatform/http';
import type { AnyModel } from '@dtplatform/mongo';
import type { HandlersOf, NamespaceContents } from '@dtplatform/queue';
import type { JobGauge } from './jobs.js';

interface AnyCatalogue {
  queue: string;
  messages: object;
}

/** Handlers for messages of one queue. Several resources may each handle some of them. */
export interface QueueJobs {
  catalogue: AnyCatalogue;
  handlers: Record<string, unknown>;
  /** Concurrent jobs per worker process. */
  concurrency?: number | undefined;
}

/** Declares handlers for some or all messages of a queue; `concurrency` is per worker process. */
export const jobsOf = <C extends AnyCatalogue>(
  catalogue: C,
  handlers: Partial<HandlersOf<C>>,
  { concurrency }: { concurrency?: number } = {},
): QueueJobs => ({ catalogue, handlers, concurrency });

/** What a resource adds to its service. Its routes need `Api`, its jobs need `Worker`. */
interface Resource<Api, Worker> {
  /** Descriptions of operation groups, by the prefix before the dot in operation names. */
  tags?: Record<string, string>;
  models?: readonly AnyModel[];
  /** Route tables below the service's prefix. */
  routes?: (parts: Api) => RouteTable[];
  /** Handlers of messages. */
  jobs?: (parts: Worker) => QueueJobs[];
  /** Starts periodic work of a worker, until the lifecycle stops. @returns its gauges */
  sweeps?: (parts: Worker) => JobGauge[] | void;
  /** The data of namespaces, deleted with their workspace, in the order of the resources. */
  contents?: (parts: Worker) => NamespaceContents;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a list of resources with any needs
export type AnyResource = Resource<any, any>;

/** Declares a resource. The service constructs the parts and passes them in. */
export const resource = <Api = unknown, Worker = unknown>(declared: Resource<Api, Worker>): Resource<Api, Worker> =>
  declared;

type All<Needs> = [Needs] extends [(parts: infer Parts) => void] ? Parts : never;

export type ApiPartsOf<R extends AnyResource> = All<
  R extends Resource<infer Api, infer _> ? (parts: Api) => void : never
>;

export type WorkerPartsOf<R extends AnyResource> = All<
  R extends Resource<infer _, infer Worker> ? (parts: Worker) => void : never
>;
