import { DelayedError, Queue, Worker } from 'bullmq';
import type { Job } from 'bullmq';
import pTimeout from 'p-timeout';
import type { Logger } from '@dtplatform/logging';
import { connectRedis, redisErrors } from '@dtplatform/redis';
import type { RedisConnection } from '@dtplatform/redis';
import { runInCall, SpanKind, withSpan } from '@dtplatform/telemetry';
import type { CallOrigin } from '@dtplatform/telemetry';
import { createJobRuns, jobOutcomes } from './job-runs.js';
import type { JobRun } from './job-runs.js';
import { backoffOf, PermanentError, Postponed } from './messages.js';
import type { HandlersOf, JobHandler, MessageType, StoredFailure } from './messages.js';
import { DEFAULT_QUEUE_PREFIX, queueKeyPrefix } from './producers.js';
import { DISCARDED, seenKey } from './queue-operations.js';

const MAX_STALLED_COUNT = 3;
/** Both determine how soon another worker takes over the jobs of one that died: within 30 seconds. */
const STALLED_INTERVAL_MS = 15_000;
const LOCK_MS = 15_000;
/** How long the worker of an empty queue blocks before it asks again. A new job wakes it at once. */
const WAIT_SEC = 30;
const RETRY_AFTER_OUTAGE_MS = 1_000;
const ABORT_GRACE_MS = 2_000;
const REPORT_TO_REDIS_MS = 2_000;
/** Time for what the process stops after its workers. */
const REST_MS = 1_000;
/** How often the worker reports that it processes its queue. */
const HEARTBEAT_MS = 15_000;
const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;

export interface WorkerOptions<C extends AnyCatalogue> {
  catalogue: C;
  redisUrl: string;
  handlers: HandlersOf<C>;
  /** Concurrent jobs in this process. Default 4. */
  concurrency?: number;
  log: Logger;
  /** See `RelayOptions`. */
  queuePrefix?: string;
}

export interface WorkerHandle {
  queue: string;
  /** Names of its messages, as in the outcomes of their jobs. */
  messages: readonly string[];
  outcomes: typeof jobOutcomes;
  /** Calls `listener` after each job of this process. */
  onRun: (listener: (run: JobRun) => void) => void;
  /** Whether this process is connected to Redis. */
  isConnected: () => boolean;
  /** Number of jobs by state, over all processes. Rejects while Redis is unavailable. */
  counts: () => Promise<Record<string, number>>;
  /**
   * Takes no more jobs and waits for the running ones. Resolves within `graceMs`, the grace period of the whole
   * process: 5 seconds before its end the jobs' signals abort. Jobs that ignore the signal are left to another worker,
   * which takes them once their locks have expired.
   */
  stop: (graceMs: number) => Promise<void>;
  /** Rejects while Redis is unavailable. */
  ping: () => Promise<void>;
}

interface AnyCatalogue {
  queue: string;
  messages: object;
}

/**
 * Processes the messages of one queue. Delivery is at least once: a job is retried until it succeeds, also after a
 * crash. Validates payloads. Waits for Redis without a limit, so it can start while Redis is unavailable.
 */
export async function startWorker<C extends AnyCatalogue>(options: WorkerOptions<C>): Promise<WorkerHandle> {
  const { catalogue, log } = options;
  const redis = await connectRedis({ url: options.redisUrl, kind: 'worker', log });
  const types = catalogue.messages as Record<string, MessageType>;
  const queuePrefix = options.queuePrefix ?? DEFAULT_QUEUE_PREFIX;
  const running = createRunning();
  const runs = createJobRuns(types);
  const place = { connection: redis.client, prefix: queueKeyPrefix(queuePrefix, catalogue.queue) };
  const stopHeartbeat = startHeartbeat(redis, queuePrefix, catalogue.queue);
  const queue = new Queue(catalogue.queue, { ...place, skipMetasUpdate: true });
  queue.on('error', () => undefined);
  const isDiscarded = async ({ id, attemptsMade }: Job) =>
    attemptsMade > 0 && (await redis.client.hexists(queue.toKey(id ?? ''), DISCARDED)) === 1;
  const processor = createProcessor(types, options.handlers, isDiscarded, log);
  const worker = new Worker(
    catalogue.queue,
    (job, token, signal) => {
      const work = () => runs.follow(job, () => processor(job, signal));
      return running.track(inCallOf(job, work).catch(postpone(job, token)));
    },
    {
      ...place,
      concurrency: options.concurrency ?? 4,
      maxStalledCount: MAX_STALLED_COUNT,
      stalledInterval: STALLED_INTERVAL_MS,
      lockDuration: LOCK_MS,
      runRetryDelay: RETRY_AFTER_OUTAGE_MS,
      drainDelay: WAIT_SEC,
      settings: {
        backoffStrategy: (attempt, _type, error, job) =>
          backoffOf(types[job?.name ?? ''], attempt, error ?? new Error()),
      },
    },
  );
  worker.on('error', (error) => {
    // The connection logs outages.
    if (!redisErrors(error)) log.error({ err: error, queue: catalogue.queue }, 'worker error');
  });
  worker.on('failed', (job, error) => runInCall(job ? originOf(job) : {}, () => logFailure(log, job, error, types)));

  /** BullMQ's marker of a new job: wakes one worker of the queue. */
  const wakeOne = () => redis.client.zadd(queue.toKey('marker'), 0, '0');

  return {
    queue: catalogue.queue,
    messages: Object.keys(types),
    outcomes: jobOutcomes,
    onRun: runs.onRun,
    isConnected: () => redis.isConnected(),
    ping: () => redis.ping(),
    async counts() {
      await redis.ping();
      return queue.getJobCounts(...STATES);
    },
    async stop(graceMs) {
      stopHeartbeat();
      const abortAt = performance.now() + graceMs - ABORT_GRACE_MS - REPORT_TO_REDIS_MS - REST_MS;
      await redis.endReconnecting();
      const closed = Promise.all([worker.close(), queue.close()]);
      if (!(await settlesWithin(running.idle(), Math.max(1, abortAt - performance.now())))) {
        worker.cancelAllJobs('The worker is stopping.');
        await settlesWithin(running.idle(), ABORT_GRACE_MS);
      }
      // Only the jobs' outcomes are left to report. BullMQ would wait for an unavailable Redis.
      await settlesWithin(closed, REPORT_TO_REDIS_MS);
      // The closed connection may have taken the marker of a job, for which other workers would wait until `WAIT_SEC`.
      if (redis.isConnected()) await settlesWithin(wakeOne(), REST_MS).catch(() => undefined);
      await redis.close();
    },
  };
}

function createProcessor<C extends AnyCatalogue>(
  types: Record<string, MessageType>,
  handlers: HandlersOf<C>,
  isDiscarded: (job: Job) => Promise<boolean>,
  log: Logger,
) {
  const handlerOf = handlers as Record<string, JobHandler<unknown>>;
  return async (job: Job, signal: AbortSignal | undefined): Promise<StoredFailure | void> => {
    const type = types[job.name];
    const handler = handlerOf[job.name];
    const payload = type?.payload.safeParse(job.data);
    const toDiscard = await isDiscarded(job);
    if (toDiscard) log.warn({ jobId: job.id, message: job.name }, 'message discarded by an administrator');
    // Also one that no handler can take.
    if (toDiscard && !(type?.endsIfDiscarded && payload?.success)) return 'rejected';
    if (!type || !handler || !payload) throw new Error(`There is no message with the name ${job.name}.`);
    if (!payload.success) throw new PermanentError(`The payload is invalid: ${payload.error.message}`);
    const context = { ...contextOf(job, type, signal, log), isDiscarded: toDiscard };
    const startMs = performance.now();
    const failure = await handler(payload.data, context);
    context.log.info({ attempt: context.attempt, durationMs: performance.now() - startMs }, 'job done');
    return failure;
  };
}

/** Handles the error of a job: a postponed job becomes a delayed one. @throws */
const postpone = (job: Job, token: string | undefined) => async (error: unknown) => {
  if (!(error instanceof Postponed)) throw error;
  await job.moveToDelayed(Date.now() + error.delayMs, token);
  throw new DelayedError();
};

/** Runs a job in the call that put its message, in a span named after the message. */
function inCallOf(job: Job, work: () => Promise<void>): Promise<void> {
  const attributes = { 'messaging.system': 'bullmq', 'messaging.destination.name': job.queueName };
  const options = { kind: SpanKind.CONSUMER, attributes: { ...attributes, 'messaging.message.id': job.id } };
  return runInCall(originOf(job), () => withSpan(job.name, work, options));
}

/** A job put outside of a call is its own call. */
function originOf({ id, opts }: Job): CallOrigin {
  const trace = opts.telemetry?.metadata;
  return { requestId: id, ...(trace && (JSON.parse(trace) as CallOrigin)) };
}

function contextOf(job: Job, type: MessageType, signal: AbortSignal | undefined, log: Logger) {
  const id = job.id ?? '';
  const attempt = job.attemptsMade + 1;
  return {
    id,
    attempt,
    isFirstStart: job.attemptsStarted === 1,
    lastAttempt: attempt >= type.attempts,
    signal: signal ?? new AbortController().signal,
    log: log.child({ jobId: id, message: job.name }),
  };
}

/** Records regularly that the queue has a worker. @returns a function that stops it */
function startHeartbeat(redis: RedisConnection, queuePrefix: string, queue: string): () => void {
  const beat = () => {
    // A worker's connection would keep the commands for an unavailable Redis.
    if (redis.isConnected()) redis.client.zadd(seenKey(queuePrefix), Date.now(), queue).catch(() => undefined);
  };
  beat();
  const timer = setInterval(beat, HEARTBEAT_MS).unref();
  return () => clearInterval(timer);
}

/** The running handlers. */
function createRunning() {
  const promises = new Set<Promise<void>>();
  return {
    track(promise: Promise<void>): Promise<void> {
      const tracked = promise.finally(() => promises.delete(tracked));
      promises.add(tracked);
      return tracked;
    },
    idle: () => Promise.allSettled(promises),
  };
}

function logFailure(log: Logger, job: Job | undefined, error: Error, types: Record<string, MessageType>): void {
  const info = { err: error, jobId: job?.id, message: job?.name, attempt: job?.attemptsMade };
  const attempts = types[job?.name ?? '']?.attempts ?? 1;
  if (error instanceof PermanentError || (job && job.attemptsMade >= attempts)) log.error(info, 'job keeps failing');
  else log.warn(info, 'job failed and will be retried');
}

/** Whether a promise settles in time. Rejects as it does. */
const settlesWithin = (promise: Promise<unknown>, milliseconds: number): Promise<boolean> =>
  pTimeout(
    promise.then(() => true),
    { milliseconds, fallback: () => false },
  );
