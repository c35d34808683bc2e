import { Queue } from 'bullmq';
import type { BulkJobOptions } from 'bullmq';
import type { Logger } from '@dtplatform/logging';
import type { RedisConnection } from '@dtplatform/redis';
import { runInCall } from '@dtplatform/telemetry';
import type { OutboxEntry } from './outbox.js';

/** Number of events that a queue keeps for busy or replaced relays: about ten thousand jobs. */
const MAX_EVENTS = 50_000;

export type Producers = ReturnType<typeof createProducers>;

/** A queue's state of a job that has not succeeded. */
export interface JobState {
  /** The error of the last attempt, if it failed. */
  error: string | undefined;
  /** Number of failed attempts. */
  attempts: number;
  /** When the last one started. */
  at: number;
}

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
    // The connection logs outages; a failed add rejects.
    queue.on('error', () => undefined);
    queues.set(name, queue);
    return queue;
  };

  const markOf = (database: string) => `${queueKeyPrefix(queuePrefix, 'outbox')}:${database}`;

  return {
    /** Resolves when Redis has acknowledged all entries. Jobs that are already in their queue stay unchanged. */
    async add(entries: readonly OutboxEntry[]): Promise<void> {
      if (entries.length === 0) return;
      // BullMQ would wait for the server without a limit; the caller retries instead.
      await redis.ping();
      for (const name of new Set(entries.map(({ queue }) => queue))) {
        await queueOf(name).addBulk(entries.filter((entry) => entry.queue === name).map(toJob));
      }
      for (const { _id: jobId, name: message, queue, trace = {} } of entries)
        runInCall(trace, () => log.info({ jobId, message, queue }, 'message enqueued'));
    },

    /** The queues' states of the messages' jobs, in order; undefined for a missing job. */
    async jobsOf(messages: readonly Pick<OutboxEntry, '_id' | 'queue'>[]): Promise<(JobState | undefined)[]> {
      await redis.ping();
      // BullMQ reads jobs only with their data, which may be large. These are its field names (delivery.test.ts fails
      // if they change).
      const fields = ['timestamp', 'failedReason', 'atm', 'processedOn'] as const;
      return Promise.all(
        messages.map(async ({ _id, queue }) => {
          const [timestamp, error, attempts, at] = await redis.client.hmget(queueOf(queue).toKey(_id), ...fields);
          return timestamp ? { error: error ?? undefined, attempts: Number(attempts), at: Number(at) } : undefined;
        }),
      );
    },

    /** Whether Redis was emptied since a relay of this database has marked it. */
    async wasEmptied(database: string): Promise<boolean> {
      await redis.ping();
      return (await redis.client.exists(markOf(database))) === 0;
    },
    mark: (database: string) => redis.client.set(markOf(database), 1),

    /** The key of BullMQ's event stream of a queue. */
    eventsKey: (queue: string): string => queueOf(queue).toKey('events'),

    /** Closes the queues; `add` reopens them. A queue whose first connection failed never recovers. */
    async reset(): Promise<void> {
      const closing = [...queues.values()];
      queues = new Map();
      await Promise.allSettled(closing.map((queue) => queue.close()));
    },
  };
}

/**
 * A job is retried until it succeeds, as its worker decides, and removed when it ends: the outbox keeps what is not
 * processed.
 */
const toJob = ({ _id, name, payload, trace }: OutboxEntry) => {
  const opts: BulkJobOptions = {
    jobId: _id,
    attempts: Number.MAX_SAFE_INTEGER,
    backoff: { type: 'by message' },
    removeOnComplete: true,
    removeOnFail: true,
    ...(trace && { telemetry: { metadata: JSON.stringify(trace) } }),
  };
  return { name, data: payload, opts };
};

export const DEFAULT_QUEUE_PREFIX = 'dtplatform';

/** BullMQ's key prefix of a queue. The hash tag keeps its keys in one slot of a Redis cluster. */
export const queueKeyPrefix = (queuePrefix: string, queue: string): string => `{${queuePrefix}.${queue}}`;
