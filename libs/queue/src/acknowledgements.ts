import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@dtplatform/logging';
import { connectRedis } from '@dtplatform/redis';
import type { RedisClient, RedisConnection } from '@dtplatform/redis';

const BATCH = 5_000;
const BLOCK_MS = 5_000;
const ASK_CLUSTER_EVERY_MS = 1_000;
/** Pause after events arrived: a job has several, and jobs come in groups. */
const GATHER_MS = 200;
/** Redis responds within `BLOCK_MS`; a silently broken connection never does. */
const SILENT_MS = 30_000;
/** Before all entries of a stream. */
const START = '0-0';

interface Options {
  redis: RedisConnection;
  redisUrl: string;
  log: Logger;
  /** BullMQ's event stream of a queue. */
  eventsKey: (queue: string) => string;
  /** The queues whose streams are read to their end before this resolves. */
  queues: readonly string[];
  /** Called when there is something to take or reading has failed. */
  onChange: () => void;
}

/**
 * Reads completed jobs from the event streams that BullMQ writes anyway, with blocking reads. A stream keeps only the
 * latest events: a message whose event was missed is sent again, which has no effect. Rejects while Redis is
 * unavailable.
 */
export async function openAcknowledgements({ redis, redisUrl, log, eventsKey, queues, onChange }: Options) {
  /** The latest event read, by the stream's key. */
  const latest = new Map<string, string>();
  const completed: string[] = [];
  let failure: unknown;
  let isClosed = false;
  /** When the current blocking read started. */
  let askedAt = Infinity;
  let begin = (): void => undefined;
  const hasStream = new Promise<void>((resolve) => (begin = resolve));

  /** @returns whether there were any */
  function keep(streams: Streams): boolean {
    for (const [key, events] of streams ?? []) {
      latest.set(key, events.at(-1)![0]);
      for (const [, fields] of events) {
        const { event, jobId } = toObject(fields);
        if (event === 'completed' && jobId !== undefined) completed.push(jobId);
      }
    }
    return streams !== null;
  }
  const isSilent = () => performance.now() - askedAt > SILENT_MS;
  const newer = () => ['STREAMS', ...latest.keys(), ...latest.values()] as const;

  async function readOn({ client }: RedisConnection): Promise<void> {
    await hasStream;
    while (!isClosed) {
      askedAt = performance.now();
      const hasEvents = await readNewer(client, BLOCK_MS);
      if (completed.length > 0) onChange();
      if (hasEvents) await delay(GATHER_MS, undefined, { ref: false });
    }
  }

  /** In a cluster, one read cannot wait for streams on several servers: it asks each, and waits afterwards. */
  async function readNewer(client: RedisClient, blockMs?: number): Promise<boolean> {
    if (!client.isCluster) {
      const block = blockMs === undefined ? [] : (['BLOCK', blockMs] as const);
      return keep(await client.xread('COUNT', BATCH, ...(block as ['BLOCK', number]), ...newer()));
    }
    const reads = [...latest].map(([key, event]) => client.xread('COUNT', BATCH, 'STREAMS', key, event));
    const hasEvents = (await Promise.all(reads)).map(keep).includes(true);
    if (!hasEvents && blockMs !== undefined) await delay(ASK_CLUSTER_EVERY_MS, undefined, { ref: false });
    return hasEvents;
  }

  function follow(more: Iterable<string>): void {
    for (const queue of more) {
      const key = eventsKey(queue);
      if (!latest.has(key)) latest.set(key, START);
    }
    if (latest.size > 0) begin();
  }

  follow(queues);
  if (latest.size > 0) while (await readNewer(redis.client));
  const waiting = await connectRedis({ url: redisUrl, kind: 'worker', log });
  readOn(waiting).catch((error: unknown) => {
    if (isClosed) return;
    failure = error;
    onChange();
  });

  return {
    /** Starts with the oldest event that the stream still has. An added stream is read within five seconds. */
    follow,

    /** Whether there is something to take or reading has failed. */
    hasSome: (): boolean => completed.length > 0 || failure !== undefined || isSilent(),

    /** The ids of jobs that have completed since the last call. @throws once reading has failed */
    take(): string[] {
      if (failure !== undefined) throw failure;
      if (isSilent()) throw new Error('Redis does not respond.');
      return completed.splice(0);
    },

    close(): void {
      isClosed = true;
      begin();
      // A clean close would wait for the blocking read, which never ends between two connection attempts.
      waiting.client.disconnect();
    },
  };
}

export type Acknowledgements = Awaited<ReturnType<typeof openAcknowledgements>>;

type Streams = [key: string, events: [id: string, fields: string[]][]][] | null;

function toObject(fields: string[]): Record<string, string> {
  const object: Record<string, string> = {};
  for (let index = 0; index + 1 < fields.length; index += 2) object[fields[index]!] = fields[index + 1]!;
  return object;
}
