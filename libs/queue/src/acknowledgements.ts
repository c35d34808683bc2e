import type { RedisConnection } from '@dtplatform/redis';
import type { Producers } from './producers.js';

const BATCH = 5_000;
/** Before all entries of a stream. */
const START = '0-0';

/**
 * Reads which jobs have completed, from the event streams that BullMQ writes. Every consumer acknowledges its jobs this way,
 * whichever version it has. A stream keeps only the latest events: what was missed is found when the entry is checked.
 */
export function createAcknowledgements(redis: RedisConnection, producers: Pick<Producers, 'eventsKey'>) {
  /** The latest event that was read, by the stream's key. */
  const latest = new Map<string, string>();

  return {
    /** Starts with the oldest event that the stream still has. */
    follow(queues: Iterable<string>): void {
      for (const queue of queues) {
        const key = producers.eventsKey(queue);
        if (!latest.has(key)) latest.set(key, START);
      }
    },

    /** The ids of jobs that have completed since the last call, and whether there may be more. */
    async take(): Promise<{ ids: string[]; hasMore: boolean }> {
      if (latest.size === 0) return { ids: [], hasMore: false };
      const streams = await redis.client.xread('COUNT', BATCH, 'STREAMS', ...latest.keys(), ...latest.values());
      const ids: string[] = [];
      for (const [key, events] of streams ?? []) {
        latest.set(key, events.at(-1)![0]);
        for (const [, fields] of events) {
          const { event, jobId } = toObject(fields);
          if (event === 'completed' && jobId !== undefined) ids.push(jobId);
        }
      }
      return { ids, hasMore: streams?.some(([, events]) => events.length === BATCH) ?? false };
    },
  };
}

function toObject(fields: string[]): Record<string, string> {
  const object: Record<string, string> = {};
  for (let index = 0; index + 1 < fields.length; index += 2) object[fields[index]!] = fields[index + 1]!;
  return object;
}
