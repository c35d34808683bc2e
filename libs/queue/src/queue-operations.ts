import { Queue } from 'bullmq';
import type { Job } from 'bullmq';
import { shownText } from '@dtplatform/contracts';
import type { RedisConnection } from '@dtplatform/redis';
import { DEFAULT_QUEUE_PREFIX, queueKeyPrefix } from './producers.js';

/** Delayed messages of a queue that are searched for failing ones. */
const MAX_SEARCHED = 1_000;
const MAX_PAYLOAD_BYTES = 10_000;
const MAX_REASON_LENGTH = 1_000;
/** Queues without a worker for this long are not listed. */
const FORGET_AFTER_MS = 30 * 24 * 60 * 60 * 1000;
/** BullMQ orders delayed jobs by time and, in the lower 12 bits, by a counter. */
const DELAY_UNIT = 0x1000;
const SECRET = /secret|password|token|authorization|credential/i;

/** The field of a discarded job that BullMQ does not know. */
export const DISCARDED = 'discarded';

/** The times of the last heartbeats of each queue's workers: a sorted set. */
export const seenKey = (queuePrefix: string): string => `${queueKeyPrefix(queuePrefix, 'queues')}:seen`;

/** BullMQ's field names (see `jobsOf` in producers.ts). Returns the number of failing messages and a page of them. */
const FIND_FAILING = `
local failing = {}
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, ARGV[2] - 1)) do
  if redis.call('HEXISTS', ARGV[1] .. id, 'failedReason') == 1 then table.insert(failing, id) end
end
local page = {}
for i = ARGV[4] + 1, math.min(ARGV[4] + ARGV[5], #failing) do
  local key = ARGV[1] .. failing[i]
  local isSmall = redis.call('HSTRLEN', key, 'data') <= tonumber(ARGV[3])
  local fields = redis.call('HMGET', key, 'name', 'timestamp', 'atm', 'processedOn', 'failedReason')
  local data = isSmall and redis.call('HGET', key, 'data') or ''
  table.insert(page, { failing[i], redis.call('ZSCORE', KEYS[1], failing[i]), data, unpack(fields) })
end
return { #failing, page }`;

/** Whether a message waits for its next attempt after a failed one. With a mark, that attempt discards it. */
const IS_FAILING = `
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) or redis.call('HEXISTS', KEYS[2], 'failedReason') == 0 then return 0 end
if ARGV[2] ~= '' then redis.call('HSET', KEYS[2], ARGV[2], 1) end
return 1`;

export interface QueueState {
  name: string;
  waiting: number;
  active: number;
  /** Including failing messages. */
  delayed: number;
  /** Messages whose last attempt failed, among the first 1000 delayed ones. */
  failing: number;
  /** When a worker of the queue last reported, as Unix milliseconds. */
  workerSeenAt: number;
}

/** A message whose last attempt failed. Its queue retries it. */
export interface FailingMessage {
  id: string;
  name: string;
  /** As Unix milliseconds. */
  createdAt: number;
  attempts: number;
  lastAttemptAt: number;
  nextAttemptAt: number;
  reason: string;
  /** Without secrets; undefined if it is longer than 10 000 bytes. */
  payload?: unknown;
}

/** The field to set on a message before its next attempt. */
type Mark = '' | typeof DISCARDED;
type Found = [total: number, page: string[][]];

/** What administrators do with the queues of all services. Each method rejects while Redis is unavailable. */
export function createQueueOperations(redis: RedisConnection, queuePrefix = DEFAULT_QUEUE_PREFIX) {
  const { client } = redis;
  const queues = new Map<string, Queue>();
  const queueOf = (name: string): Queue => queues.get(name) ?? open(name);
  const open = (name: string): Queue => {
    const queue = new Queue(name, {
      connection: client,
      prefix: queueKeyPrefix(queuePrefix, name),
      skipMetasUpdate: true,
    });
    queue.on('error', () => undefined);
    queues.set(name, queue);
    return queue;
  };

  async function findFailing(name: string, offset: number, count: number): Promise<Found> {
    const queue = queueOf(name);
    const limits = [MAX_SEARCHED, MAX_PAYLOAD_BYTES, offset, count];
    return (await client.eval(FIND_FAILING, 1, queue.toKey('delayed'), queue.toKey(''), ...limits)) as Found;
  }

  const seenAt = (name: string) => client.zscore(seenKey(queuePrefix), name);

  async function stateOf(name: string): Promise<QueueState> {
    const { waiting = 0, active = 0, delayed = 0 } = await queueOf(name).getJobCounts('waiting', 'active', 'delayed');
    const [failing] = await findFailing(name, 0, 0);
    return { name, waiting, active, delayed, failing, workerSeenAt: Number(await seenAt(name)) };
  }

  async function retryNow(queue: Queue, id: string, mark: Mark): Promise<boolean> {
    const isFailing = await client.eval(IS_FAILING, 2, queue.toKey('delayed'), queue.toKey(id), id, mark);
    const job = isFailing === 1 ? ((await queue.getJob(id)) as Job | undefined) : undefined;
    if (!job) return false;
    await job.promote().catch(async (error: unknown) => {
      // A worker may have taken it in the meantime.
      if (await job.isDelayed()) throw error;
    });
    return true;
  }

  async function retryAll(name: string, ids: readonly string[], mark: Mark): Promise<string[]> {
    await redis.ping();
    const queue = queueOf(name);
    const retried = await Promise.all(ids.map(async (id) => ((await retryNow(queue, id, mark)) ? [id] : [])));
    return retried.flat();
  }

  return {
    /** All queues with a worker in the last 30 days, by name. */
    async list(): Promise<QueueState[]> {
      await redis.ping();
      const key = seenKey(queuePrefix);
      await client.zremrangebyscore(key, 0, Date.now() - FORGET_AFTER_MS);
      const names = await client.zrange(key, 0, -1);
      return Promise.all(names.sort().map(stateOf));
    },
    has: async (name: string): Promise<boolean> => (await seenAt(name)) !== null,
    /** Failing messages, the next attempt first. */
    async listFailing(name: string, { offset, count }: { offset: number; count: number }) {
      await redis.ping();
      const [total, page] = await findFailing(name, offset, count);
      return { total, list: page.map(failingMessage) };
    },
    /** Retries failing messages now. @returns the ids of those that were waiting for their next attempt */
    retry: (name: string, ids: readonly string[]) => retryAll(name, ids, ''),
    /**
     * Makes workers end messages at their next attempt, which is now, instead of processing them.
     * @returns the ids of those that were waiting for their next attempt
     */
    discard: (name: string, ids: readonly string[]) => retryAll(name, ids, DISCARDED),
  };
}

export type QueueOperations = ReturnType<typeof createQueueOperations>;

function failingMessage(fields: string[]): FailingMessage {
  const [id = '', score, data, name = '', createdAt, attempts, lastAttemptAt, reason = ''] = fields;
  return {
    ...{ id, name, reason: shownText(reason, MAX_REASON_LENGTH) },
    createdAt: Number(createdAt),
    attempts: Number(attempts),
    lastAttemptAt: Number(lastAttemptAt),
    nextAttemptAt: Math.floor(Number(score) / DELAY_UNIT),
    ...(data && { payload: withoutSecrets(data) }),
  };
}

const withoutSecrets = (json: string): unknown =>
  JSON.parse(json, (key, value: unknown) => (SECRET.test(key) ? '[secret]' : value));
