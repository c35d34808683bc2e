import { Queue, UnrecoverableError, Worker } from 'bullmq';
import type { Job } from 'bullmq';
import type { Logger } from '@dtplatform/logging';
import { connectRedis, redisErrors } from '@dtplatform/redis';
import { runInCall, SpanKind, withSpan } from '@dtplatform/telemetry';
import type { CallOrigin } from '@dtplatform/telemetry';
import type { HandlersOf, JobContext, JobHandler, MessageType } from './messages.js';
import { DEFAULT_QUEUE_PREFIX, queueKeyPrefix } from './queue-keys.js';

const MAX_STALLED_COUNT = 3;
const STALLED_INTERVAL_MS = 10_000;
const LOCK_MS = 30_000;
const RETRY_AFTER_OUTAGE_MS = 1_000;
const ABORT_GRACE_MS = 2_000;
const TELL_REDIS_MS = 2_000;
/** For what the process ends after its workers. */
const REST_MS = 1_000;
const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;

export interface WorkerOptions<C extends AnyCatalogue> {
  catalogue: C;
  redisUrl: string;
  handlers: HandlersOf<C>;
  /** Jobs at once in this process. Default 4. */
  concurrency?: number;
  log: Logger;
  /** See `RelayOptions`. */
  queuePrefix?: string;
}

export interface WorkerHandle {
  queue: string;
  /** How many jobs of the queue are in which state, whoever works on them. Rejects while Redis is away. */
  counts: () => Promise<Record<string, number>>;
  /**
   * Takes no more jobs and waits for those that run. Ends within `graceMs`, the grace of the whole process: 5 seconds before that
   * the signals of jobs are aborted, and those that do not heed it are left to another worker, which takes them when their locks
   * run out.
   */
  stop: (graceMs: number) => Promise<void>;
  /** Whether Redis answers. */
  ping: () => Promise<void>;
}

interface AnyCatalogue {
  queue: string;
  messages: object;
}

/**
 * Works on the messages of one queue. Delivery is at least once: after a crash a job starts again, at most 3 times. Payloads are
 * validated; one that does not fit fails for good. Waits for Redis for ever, so it starts without it.
 */
export async function startWorker<C extends AnyCatalogue>(options: WorkerOptions<C>): Promise<WorkerHandle> {
  const { catalogue, log } = options;
  const redis = await connectRedis({ url: options.redisUrl, kind: 'worker', log });
  const processor = createProcessor(catalogue, options.handlers, log);
  const running = createRunning();
  const place = {
    connection: redis.client,
    prefix: queueKeyPrefix(options.queuePrefix ?? DEFAULT_QUEUE_PREFIX, catalogue.queue),
  };
  const queue = new Queue(catalogue.queue, place);
  queue.on('error', () => undefined);
  const worker = new Worker(
    catalogue.queue,
    (job, _token, signal) => running.track(inItsCall(job, () => processor(job, signal))),
    {
      ...place,
      concurrency: options.concurrency ?? 4,
      maxStalledCount: MAX_STALLED_COUNT,
      stalledInterval: STALLED_INTERVAL_MS,
      lockDuration: LOCK_MS,
      runRetryDelay: RETRY_AFTER_OUTAGE_MS,
    },
  );
  worker.on('error', (error) => {
    // Outages are logged by the connection.
    if (!redisErrors(error)) log.error({ err: error, queue: catalogue.queue }, 'worker error');
  });
  worker.on('failed', (job, error) => runInCall(job ? originOf(job) : {}, () => logFailure(log, job, error)));

  return {
    queue: catalogue.queue,
    ping: () => redis.ping(),
    async counts() {
      await redis.ping();
      return queue.getJobCounts(...STATES);
    },
    async stop(graceMs) {
      const abortAt = performance.now() + graceMs - ABORT_GRACE_MS - TELL_REDIS_MS - REST_MS;
      await redis.endReconnecting();
      const closed = Promise.all([worker.close(), queue.close()]);
      if (!(await settlesWithin(running.idle(), Math.max(0, abortAt - performance.now())))) {
        worker.cancelAllJobs('The worker ends.');
        await settlesWithin(running.idle(), ABORT_GRACE_MS);
      }
      // What is left is to tell Redis how the jobs ended. If it is away, BullMQ would wait for it.
      await settlesWithin(closed, TELL_REDIS_MS);
      await redis.close();
    },
  };
}

function createProcessor<C extends AnyCatalogue>(catalogue: C, handlers: HandlersOf<C>, log: Logger) {
  const messages = catalogue.messages as Record<string, MessageType>;
  const handlerOf = handlers as Record<string, JobHandler<unknown>>;
  return async (job: Job, signal: AbortSignal | undefined): Promise<void> => {
    const type = messages[job.name];
    const handler = handlerOf[job.name];
    if (!type || !handler) throw new UnrecoverableError(`Nobody knows messages of the name ${job.name}.`);
    const payload = type.payload.safeParse(job.data);
    if (!payload.success) throw new UnrecoverableError(`The payload is not valid: ${payload.error.message}`);
    const context = contextOf(job, signal, log);
    const startMs = performance.now();
    await handler(payload.data, context);
    context.log.info({ attempt: context.attempt, durationMs: performance.now() - startMs }, 'job done');
  };
}

/** Runs a job as a part of the call that put its message, in a span named after the message. */
function inItsCall(job: Job, work: () => Promise<void>): Promise<void> {
  const attributes = { 'messaging.system': 'bullmq', 'messaging.destination.name': job.queueName };
  const options = { kind: SpanKind.CONSUMER, attributes: { ...attributes, 'messaging.message.id': job.id } };
  return runInCall(originOf(job), () => withSpan(job.name, work, options));
}

/** A job that no call has put, or an earlier version of this library, is a call of its own. */
function originOf({ id, opts }: Job): CallOrigin {
  const trace = opts.telemetry?.metadata;
  return { requestId: id, ...(trace && (JSON.parse(trace) as CallOrigin)) };
}

function contextOf(job: Job, signal: AbortSignal | undefined, log: Logger): JobContext {
  const id = job.id ?? '';
  const attempt = job.attemptsMade + 1;
  return {
    id,
    attempt,
    isFirstStart: job.attemptsStarted === 1,
    lastAttempt: attempt >= (job.opts.attempts ?? 1),
    signal: signal ?? new AbortController().signal,
    log: log.child({ jobId: id, message: job.name }),
  };
}

/** The handlers that are at work. */
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

function logFailure(log: Logger, job: Job | undefined, error: Error): void {
  const info = { err: error, jobId: job?.id, message: job?.name, attempt: job?.attemptsMade };
  if (job?.finishedOn === undefined) log.warn(info, 'job failed, it will be tried again');
  else log.error(info, 'job failed for good');
}

async function settlesWithin(promise: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, false);
  });
  try {
    return await Promise.race([promise.then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
