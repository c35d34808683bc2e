import { Queue } from 'bullmq';
import type { BulkJobOptions } from 'bullmq';
import type { Logger } from '@dtplatform/logging';
import type { RedisConnection } from '@dtplatform/redis';
import { runInCall } from '@dtplatform/telemetry';
import type { OutboxEntry } from './outbox.model.js';
import { queueKeyPrefix } from './queue-keys.js';

const HOUR_SEC = 3600;
/** How long a queue remembers ended jobs: until then it ignores another job with the same id. */
const KEEP_COMPLETED = { age: HOUR_SEC, count: 1000 };
const KEEP_FAILED = { age: 24 * HOUR_SEC, count: 10_000 };

/** How many events a queue keeps for relays that are busy or replaced: about ten thousand jobs. */
const MAX_EVENTS = 50_000;

export type Producers = ReturnType<typeof createProducers>;

/** What a queue knows of a job. */
export interface JobState {
  /** `pending`: it waits, runs, or will be retried. `missing`: the queue has lost it, or forgotten that it completed. */
  state: 'pending' | 'completed' | 'failed' | 'missing';
  /** Of a failed job. */
  failedAt?: number;
  error?: string;
}

type Message = Pick<OutboxEntry, '_id' | 'queue'>;

/** The queues that a relay adds to, opened on first use. */
export function createProducers(redis: RedisConnection, queuePrefix: string, log: Logger) {
  let queues = new Map<string, Queue>();

  const queueOf = (name: string): Queue => queues.get(name) ?? open(name);
  const open = (name: string): Queue => {
    const queue = new Queue(name, {
      connection: redis.client,
      prefix: queueKeyPrefix(queuePrefix, name),
      streams: { events: { maxLen: MAX_EVENTS } },
    });
    // Outages are logged by the connection; a failed add rejects.
    queue.on('error', () => undefined);
    queues.set(name, queue);
    return queue;
  };

  return {
    /** Resolves when Redis has acknowledged all entries. A job that is already in its queue stays as it is. */
    async add(entries: readonly OutboxEntry[]): Promise<void> {
      if (entries.length === 0) return;
      // BullMQ would wait forever for the server; the caller must retry instead.
      await redis.ping();
      for (const name of new Set(entries.map(({ queue }) => queue))) {
        await queueOf(name).addBulk(entries.filter((entry) => entry.queue === name).map(toJob));
      }
      for (const { _id: jobId, name: message, queue, trace = {} } of entries)
        runInCall(trace, () => log.info({ jobId, message, queue }, 'message enqueued'));
    },

    /** The states of jobs, in the order of their messages. */
    async statesOf(messages: readonly Message[]): Promise<JobState[]> {
      await redis.ping();
      return Promise.all(
        messages.map(async ({ _id, queue }): Promise<JobState> => {
          const state = await queueOf(queue).getJobState(_id);
          if (state === 'unknown') return { state: 'missing' };
          if (state === 'completed') return { state };
          if (state !== 'failed') return { state: 'pending' };
          const job = await queueOf(queue).getJob(_id);
          return job ? { state, failedAt: job.finishedOn, error: job.failedReason } : { state: 'missing' };
        }),
      );
    },

    /** Removes jobs from their queues, except those that a worker runs. */
    async remove(messages: readonly Message[]): Promise<void> {
      await Promise.all(messages.map(({ _id, queue }) => queueOf(queue).remove(_id)));
    },

    /** Key of the stream in which BullMQ reports what happens to the jobs of a queue. */
    eventsKey: (queue: string): string => queueOf(queue).toKey('events'),

    /** Closes the queues; `add` reopens them. A queue whose first connection failed never works again. */
    async reset(): Promise<void> {
      const closing = [...queues.values()];
      queues = new Map();
      await Promise.allSettled(closing.map((queue) => queue.close()));
    },
  };
}

const toJob = ({ _id, name, payload, attempts, backoffMs, forget, trace }: OutboxEntry) => {
  const opts: BulkJobOptions = {
    jobId: _id,
    attempts,
    backoff: { type: 'exponential', delay: backoffMs },
    removeOnComplete: forget ?? KEEP_COMPLETED,
    removeOnFail: forget ?? KEEP_FAILED,
    ...(trace && { telemetry: { metadata: JSON.stringify(trace) } }),
  };
  return { name, data: payload, opts };
};
