import type { RouteTable } from '@dtplatform/http';
import type { AnyModel } from '@dtplatform/mongo';
import type { HandlersOf, NamespaceContents } from '@dtplatform/queue';
import type { JobGauge } from './jobs.js';

interface AnyCatalogue {
  queue: string;
  messages: object;
}

/** Handlers for messages of one queue. Several resources may each handle some of its messages. */
export interface QueueJobs {
  catalogue: AnyCatalogue;
  handlers: Record<string, unknown>;
  /** Jobs at once in a worker process. */
  concurrency?: number | undefined;
}

/** Declares the handlers of some or all messages of a queue; `concurrency` is the number of jobs at once in a worker. */
export const jobsOf = <C extends AnyCatalogue>(
  catalogue: C,
  handlers: Partial<HandlersOf<C>>,
  { concurrency }: { concurrency?: number } = {},
): QueueJobs => ({ catalogue, handlers, concurrency });

/** What a resource brings to its service. `Api` is what its routes need, `Worker` what its jobs need. */
interface Resource<Api, Worker> {
  /** One sentence for each group of operations: what precedes the dot in their names. */
  tags?: Record<string, string>;
  models?: readonly AnyModel[];
  /** Its route tables, below the prefix of the service. */
  routes?: (parts: Api) => RouteTable[];
  /** The messages that it handles. */
  jobs?: (parts: Worker) => QueueJobs[];
  /** Starts what a worker does without messages, such as sweeps, until the lifecycle stops. @returns its gauges */
  sweeps?: (parts: Worker) => JobGauge[] | void;
  /** What it holds in namespaces, which is removed when their workspace is deleted, in the order of the resources. */
  contents?: (parts: Worker) => NamespaceContents;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a list of resources with any needs
export type AnyResource = Resource<any, any>;

/** Declares a resource. It only declares: the service constructs the parts and passes them. */
export const resource = <Api = unknown, Worker = unknown>(declared: Resource<Api, Worker>): Resource<Api, Worker> =>
  declared;

type All<Needs> = [Needs] extends [(parts: infer Parts) => void] ? Parts : never;

/** What the routes of all these resources need together. */
export type ApiPartsOf<R extends AnyResource> = All<
  R extends Resource<infer Api, infer _> ? (parts: Api) => void : never
>;

/** What the jobs of all these resources need together. */
export type WorkerPartsOf<R extends AnyResource> = All<
  R extends Resource<infer _, infer Worker> ? (parts: Worker) => void : never
>;
