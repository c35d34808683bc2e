import { Redis } from 'ioredis';
import type { Logger } from '@dtplatform/logging';
import { logOutages } from './log-outages.js';
import { policyOf } from './policies.js';
import type { RedisKind } from './policies.js';

export type { RedisKind } from './policies.js';

const FIRST_ATTEMPT_MS = 1_000;

export interface RedisOptions {
  /** `redis://` or `rediss://`, with the database number as its path. */
  url: string;
  kind: RedisKind;
  log: Logger;
}

export interface RedisConnection {
  client: Redis;
  /** Resolves when the server answers; rejects within about a second when it does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a connection that reconnects for ever in the background. Resolves when it is ready, or without it after the first failed
 * attempt (a second at most): a service starts without Redis and recovers by itself.
 *
 * - `cache`, `producer`: a command fails at once while the server is away, and after a second when it does not answer.
 * - `worker`: commands wait for the server, for ever. Only for BullMQ workers.
 */
export async function connectRedis({ url, kind, log }: RedisOptions): Promise<RedisConnection> {
  const client = new Redis(url, policyOf(kind));
  logOutages(client, log);
  await firstAttempt(client);
  return {
    client,
    ping: () => ping(client),
    close: () => close(client),
  };
}

/** `ready` or `close`, whichever is first. */
async function firstAttempt(client: Redis): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, FIRST_ATTEMPT_MS);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    client.once('ready', done);
    client.once('close', done);
  });
}

async function ping(client: Redis): Promise<void> {
  // A `worker` connection would wait in its offline queue.
  if (client.status !== 'ready') throw new Error('Connection is closed.');
  await client.ping();
}

async function close(client: Redis): Promise<void> {
  if (client.status === 'ready') await client.quit().catch(() => undefined);
  client.disconnect();
}
