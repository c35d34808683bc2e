import type { RequestListener, Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Counter, Gauge, Registry } from 'prom-client';
import { adminListener, createReadiness, listen, portOf } from '@dtplatform/http';
import type { Attach, ReadinessChecks } from '@dtplatform/http';
import type { Mongo } from '@dtplatform/mongo';
import type { RedisConnection } from '@dtplatform/redis';
import type { Database } from './backends.js';
import { startHeartbeat } from './heartbeat.js';
import { checksOf, measureJobRuns, measureJobs } from './jobs.js';
import type { Jobs } from './jobs.js';
import type { ProcessContext, ServiceConfig } from './service-config.js';

interface AdminOptions extends ProcessContext, MeasuredBackends {
  config: Pick<ServiceConfig, 'HOST' | 'ADMIN_PORT' | 'REDIS_URL'>;
  checks: ReadinessChecks;
  registry?: Registry;
}

type ServeOptions = AdminOptions & {
  config: Pick<ServiceConfig, 'SHUTDOWN_DRAIN_MS' | 'KEEP_ALIVE_MS'>;
};

/** Opens the admin port of a service, then its API, and logs both ports. */
export async function serve(
  { listener, port, attach }: { listener: RequestListener; port: number; attach?: Attach },
  options: ServeOptions,
): Promise<void> {
  const { config, lifecycle, log } = options;
  const admin = await listenAdmin(options);
  const api = await listen(listener, {
    name: 'api',
    host: config.HOST,
    port,
    lifecycle,
    drainMs: config.SHUTDOWN_DRAIN_MS,
    keepAliveMs: config.KEEP_ALIVE_MS,
    attach,
  });
  log.info({ adminPort: portOf(admin), port: portOf(api) }, 'listening');
}

async function listenAdmin(options: AdminOptions): Promise<Server> {
  const { config, lifecycle, registry = new Registry() } = options;
  measureBackends(options, registry);
  const readiness = createReadiness(options);
  const admin = await listen(adminListener({ readiness, registry }), {
    name: 'admin',
    host: config.HOST,
    port: config.ADMIN_PORT,
    lifecycle,
  });
  await startHeartbeat({ ...options, registry, readiness });
  return admin;
}

const CHECK_EVERY_MS = 1_000;

export interface WorkerOptions extends AdminOptions {
  checks: Database['checks'];
  /** Starts the jobs and registers their shutdown. */
  startJobs: () => Promise<Jobs>;
}

/**
 * Runs a worker: opens its admin port, waits until the database is migrated to this version, then starts its jobs. Jobs
 * before the migration could write documents that violate a new unique index.
 */
export async function serveWorker({ startJobs, ...options }: WorkerOptions): Promise<void> {
  const { registry = new Registry(), lifecycle, log } = options;
  const checks: ReadinessChecks = { ...options.checks, jobs: notStarted };
  const admin = await listenAdmin({ ...options, checks, registry });
  log.info({ adminPort: portOf(admin) }, 'listening');
  await addJobs({ lifecycle, log, startJobs, migrated: options.checks.migrations }, checks, registry);
}

const notStarted = () => Promise.reject(new Error('The jobs have not started.'));

interface JobsOptions extends Pick<ProcessContext, 'lifecycle' | 'log'>, Pick<WorkerOptions, 'startJobs'> {
  /** Rejects until the database is migrated. */
  migrated: () => Promise<void>;
}

/** Starts jobs once the database is migrated, and adds their checks and metrics to those of the process. */
export async function addJobs(
  { startJobs, ...options }: JobsOptions,
  checks: ReadinessChecks,
  registry: Registry,
): Promise<void> {
  checks.jobs = notStarted;
  if (!(await untilMigrated(options))) return;
  const jobs = await startJobs();
  delete checks.jobs;
  Object.assign(checks, checksOf(jobs));
  measureJobRuns(jobs, registry);
  measureJobs(jobs, registry);
}

/** Resolves to false if the process stops first. */
async function untilMigrated({ migrated, lifecycle, log }: Omit<JobsOptions, 'startJobs'>): Promise<boolean> {
  const stopping = new AbortController();
  lifecycle.onStop('wait for the migration', () => stopping.abort());
  for (let isFirst = true; !stopping.signal.aborted; isFirst = false) {
    try {
      await migrated();
      return true;
    } catch (error) {
      if (isFirst) log.warn({ err: error }, 'waiting for the migration');
    }
    await delay(CHECK_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
  }
  return false;
}

interface MeasuredBackends {
  mongo?: Pick<Mongo, 'poolUse'>;
  redis?: RedisConnection;
}

/** Adds connection metrics to a process. */
function measureBackends({ mongo, redis }: MeasuredBackends, registry: Registry): void {
  if (mongo) measurePools(mongo.poolUse, registry);
  if (redis) measureRedis(redis, registry);
}

function measurePools(poolUse: Mongo['poolUse'], registry: Registry): void {
  const registers = [registry];
  new Gauge({
    name: 'mongodb_pool_connections',
    help: 'Connections to MongoDB, by state.',
    labelNames: ['state'],
    registers,
    collect() {
      const { open, inUse } = poolUse();
      this.set({ state: 'in_use' }, inUse);
      this.set({ state: 'idle' }, open - inUse);
    },
  });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('mongodb_pool_max_connections', 'Maximum number of connections to each server.', () => poolUse().max);
  gauge('mongodb_pool_waiting', 'Operations waiting for a connection.', () => poolUse().waiting);
  new Counter({
    name: 'mongodb_pool_failures_total',
    help: 'Operations that did not get a connection.',
    registers,
    collect() {
      this.reset();
      this.inc(poolUse().failed);
    },
  });
}

function measureRedis(redis: Pick<RedisConnection, 'isConnected'>, registry: Registry): void {
  new Gauge({
    name: 'redis_connected',
    help: 'Whether this process is connected to Redis: 1 or 0.',
    registers: [registry],
    collect() {
      this.set(Number(redis.isConnected()));
    },
  });
}
