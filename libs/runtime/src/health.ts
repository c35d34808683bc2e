import { z } from 'zod';
import type { RedisConnection } from '@dtplatform/redis';
import { Minute } from './traffic.js';

/** A process that has missed two heartbeats. */
const LOST_AFTER_MS = 45_000;
/** A process that did not shut down cleanly is listed for this long. */
const FORGET_AFTER_MS = 60 * 60 * 1000;
const WORKER = '-worker';

const Report = z.object({
  /** The name of its service, with `-worker` for a worker. */
  name: z.string(),
  host: z.string(),
  /** As Unix milliseconds. */
  startedAt: z.int(),
  seenAt: z.int(),
  ready: z.boolean(),
  stopping: z.boolean(),
  checks: z.record(z.string(), z.enum(['ok', 'failing'])),
  requests: z.array(Minute),
  jobs: z.array(Minute),
});
export type ProcessReport = z.infer<typeof Report>;

export interface ProcessHealth extends ProcessReport {
  id: string;
  state: 'READY' | 'NOT_READY' | 'STOPPING' | 'LOST';
}

/** The last hour of all processes of a service, by minutes. Minutes without any are left out. */
export interface ServiceTraffic {
  name: string;
  requests: Minute[];
  jobs: Minute[];
}

/** The health of all processes of the platform, as they report it. */
export function createHealth({ client, ping }: RedisConnection, prefix = 'dtplatform') {
  /** The last report of each process: a hash. */
  const key = `{${prefix}.processes}`;
  return {
    report: async (id: string, report: ProcessReport): Promise<void> => {
      await client.hset(key, id, JSON.stringify(report));
    },
    /** Removes a process that shuts down. */
    remove: async (id: string): Promise<void> => {
      await client.hdel(key, id);
    },
    /** Processes and services by name. Rejects while Redis is unavailable. */
    async read(): Promise<{ processes: ProcessHealth[]; services: ServiceTraffic[] }> {
      await ping();
      const stored = Object.entries(await client.hgetall(key));
      const processes = stored
        .flatMap(reportOf)
        .filter(({ seenAt }) => seenAt > Date.now() - FORGET_AFTER_MS)
        .map((report) => ({ ...report, state: stateOf(report) }))
        .sort((one, other) => one.id.localeCompare(other.id));
      const old = stored.map(([id]) => id).filter((id) => !processes.some((process) => process.id === id));
      if (old.length > 0) await client.hdel(key, ...old);
      return { processes, services: trafficOf(processes) };
    },
  };
}

export type Health = ReturnType<typeof createHealth>;

/** Leaves out reports of other versions that have other fields. */
function reportOf([id, text]: [string, string]): (ProcessReport & { id: string })[] {
  const { data } = Report.safeParse(JSON.parse(text));
  return data ? [{ id, ...data }] : [];
}

function stateOf({ seenAt, ready, stopping }: ProcessReport): ProcessHealth['state'] {
  if (seenAt < Date.now() - LOST_AFTER_MS) return 'LOST';
  if (stopping) return 'STOPPING';
  return ready ? 'READY' : 'NOT_READY';
}

const serviceOf = ({ name }: ProcessReport) => (name.endsWith(WORKER) ? name.slice(0, -WORKER.length) : name);

function trafficOf(processes: ProcessHealth[]): ServiceTraffic[] {
  return [...new Set(processes.map(serviceOf))].map((name) => {
    const own = processes.filter((process) => serviceOf(process) === name);
    return {
      name,
      requests: merge(own.flatMap(({ requests }) => requests)),
      jobs: merge(own.flatMap(({ jobs }) => jobs)),
    };
  });
}

/** Adds up minutes of several processes. Their times are those of the slowest process. */
function merge(minutes: Minute[]): Minute[] {
  const since = Date.now() - FORGET_AFTER_MS;
  const times = [...new Set(minutes.map(({ at }) => at))].filter((at) => at > since).sort((one, other) => one - other);
  return times.map((at) => {
    const same = minutes.filter((minute) => minute.at === at);
    return {
      at,
      count: sum(same.map(({ count }) => count)),
      errors: sum(same.map(({ errors }) => errors)),
      medianMs: slowest(same.map(({ medianMs }) => medianMs)),
      p95Ms: slowest(same.map(({ p95Ms }) => p95Ms)),
    };
  });
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
const slowest = (times: (number | undefined)[]) =>
  times.includes(undefined) ? undefined : Math.max(...(times as number[]));
