import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Logger } from '@dtplatform/logging';
import { logOutages } from './log-outages.js';
import { policyOf } from './policies.js';
import type { RedisKind } from './policies.js';

export type { RedisKind } from './policies.js';

const FIRST_ATTEMPT_MS = 1_000;
/** Shorter than the time limit of commands, so that it is known here that no answer came. */
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
  /** Resolves when the server answers; rejects within about a second when it does not, and replaces a connection that is mute. */
  ping: () => Promise<void>;
  /**
   * From now on a connection that is lost stays lost, this one and its duplicates. Resolves when each of them is either ready or
   * has ended (3 seconds at most). To be called before a BullMQ worker is closed, which waits for ever for a connection that is
   * between two attempts.
   */
  endReconnecting: () => Promise<void>;
  close: () => Promise<void>;
}

/**
 * Opens a connection that reconnects for ever in the background. Resolves when it is ready, or without it after the first failed
 * attempt (a second at most): a service starts without Redis and recovers by itself.
 *
 * - `cache`, `producer`: a command fails at once while the server is away, and after a second when it does not answer.
 * - `worker`: commands wait for the server, for ever. Only for BullMQ workers.
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
    endReconnecting,
    async close() {
      mayReconnect = false;
      await close(client);
    },
  };
}

/** This client and all that are duplicated from it from now on. */
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
  // A `worker` connection would keep the command until the server is back.
  if (client.status !== 'ready') throw new Error('Connection is closed.');
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      // Its other end may be gone without a word; then only a new connection helps.
      client.disconnect(true);
      reject(new Error('Command timed out'));
    }, PING_TIMEOUT_MS);
  });
  try {
    await Promise.race([client.ping(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

async function close(client: Redis): Promise<void> {
  if (client.status === 'ready') await client.quit().catch(() => undefined);
  client.disconnect();
}
