import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pTimeout from 'p-timeout';
import type { Logger } from '@dtplatform/logging';
import { logOutages } from './log-outages.js';
import { policyOf } from './policies.js';
import type { RedisKind } from './policies.js';

export type { RedisKind } from './policies.js';

const FIRST_ATTEMPT_MS = 1_000;
/** Shorter than the timeout of commands, so that a ping that timed out is noticed here. */
const PING_TIMEOUT_MS = 900;
const END_TIMEOUT_MS = 3_000;

export interface RedisOptions {
  /** `redis://` or `rediss://`, with the database number as its path. */
  url: string;
  kind: RedisKind;
  log: Logger;
}

export interface RedisConnection {
  client: Redis;
  /**
   * Resolves when the server answers. Otherwise rejects within about a second, and reconnects if there was no answer at
   * all.
   */
  ping: () => Promise<void>;
  /** Whether commands can be sent. */
  isConnected: () => boolean;
  /**
   * Stops reconnecting, here and in all duplicates. Resolves when each connection is either ready or closed, after 3
   * seconds at the latest. Call it before closing a BullMQ worker: that waits for ever for a connection that is between
   * two attempts.
   */
  endReconnecting: () => Promise<void>;
  close: () => Promise<void>;
}

/**
 * Opens a connection that reconnects in the background, without a limit. Resolves when it is ready or when the first
 * attempt has failed (a second at most): a service starts without Redis and recovers by itself.
 *
 * - `cache`, `producer`: commands fail at once while Redis is unavailable, and after a second without an answer.
 * - `worker`: commands wait until Redis is available again, however long. Only for BullMQ workers.
 */
export async function connectRedis({ url, kind, log }: RedisOptions): Promise<RedisConnection> {
  let mayReconnect = true;
  const client = new Redis(
    url,
    policyOf(kind, () => mayReconnect),
  );
  const clients = trackDuplicates(client);
  logOutages(client, log);
  await firstAttempt(client);

  const endReconnecting = async () => {
    mayReconnect = false;
    const deadline = Date.now() + END_TIMEOUT_MS;
    while (!clients.every(isSettled) && Date.now() < deadline) await delay(20);
  };
  return {
    client,
    ping: () => ping(client),
    isConnected: () => client.status === 'ready',
    endReconnecting,
    async close() {
      mayReconnect = false;
      await close(client);
    },
  };
}

/** This client and all future duplicates of it. */
function trackDuplicates(client: Redis): Redis[] {
  const clients = [client];
  const duplicate = client.duplicate.bind(client);
  client.duplicate = (override) => {
    const copy = duplicate(override);
    clients.push(copy);
    return copy;
  };
  return clients;
}

const isSettled = ({ status }: Redis) => status === 'ready' || status === 'end';

/** Waits for `ready` or `close`, whichever is first. */
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
  // A `worker` connection would queue the command until it is connected again.
  if (client.status !== 'ready') throw new Error('Connection is closed.');
  await pTimeout(client.ping(), {
    milliseconds: PING_TIMEOUT_MS,
    fallback() {
      // The peer may have vanished without closing the connection; only a new connection helps then.
      client.disconnect(true);
      throw new Error('Command timed out');
    },
  });
}

async function close(client: Redis): Promise<void> {
  if (client.status === 'ready') await client.quit().catch(() => undefined);
  client.disconnect();
}
