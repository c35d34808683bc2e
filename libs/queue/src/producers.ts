import { Queue } from 'bullmq';
import type { BulkJobOptions } from 'bullmq';
import type { Logger } from '@dtplatform/logging';
import type { RedisConnection } from '@dtplatform/redis';
import { runInCall } from '@dtplatform/telemetry';
import type { OutboxEntry } from './outbox.js';

/** How many events a queue keeps for relays that are busy or replaced: about ten thousand jobs. */
const MAX_EVENTS = 50_000;

export type Producers = ReturnType<typeof createProducers>;

/** What a queue knows of a job that has not succeeded. */
export interface JobState {
  /** Of the last attempt, if it failed. */
  error: string | undefined;
  /** How many have failed. */
  attempts: number;
  /** When the last one began. */
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
    // Outages are logged by the connection; a failed add rejects.
    queue.on('error', () => undefined);
    queues.set(name, queue);
    return queue;
  };

  const markOf = (database: string) => `${queueKeyPrefix(queuePrefix, 'outbox')}:${database}`;

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

    /** What queues know of the jobs of messages, in their order; undefined for one that its queue does not have. */
    async jobsOf(messages: readonly Pick<OutboxEntry, '_id' | 'queue'>[]): Promise<(JobState | undefined)[]> {
      await redis.ping();
      // BullMQ reads jobs with their data only, which may be large. These are its names (delivery.test.ts fails if they change).
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

/** A job is tried until it succeeds, as its worker decides, and forgotten when it ends: the outbox knows what is left. */
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
