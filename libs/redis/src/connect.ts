import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { RedisOptions } from 'ioredis';
import pTimeout from 'p-timeout';
import type { Logger } from '@dtplatform/logging';

const FIRST_ATTEMPT_MS = 1_000;
/** Below the command timeout, so that a ping that timed out is noticed here. */
const PING_TIMEOUT_MS = 900;
const END_TIMEOUT_MS = 3_000;

interface ConnectOptions {
  /**
   * `redis://` or `rediss://`, with the database number as its path. Options, as in URLs of MongoDB:
   * `tlsCertificateKeyFile`, a PEM file with a client certificate and its private key, and `tlsCAFile`.
   */
  url: string;
  kind: RedisKind;
  log: Logger;
}

export interface RedisConnection {
  client: Redis;
  /**
   * Resolves when the server responds. Otherwise rejects within about a second, and reconnects if there was no response
   * at all.
   */
  ping: () => Promise<void>;
  /** Whether commands can be sent. */
  isConnected: () => boolean;
  /**
   * Stops reconnecting, here and in all duplicates. Resolves when each connection is ready or closed, after at most 3
   * seconds. Call it before closing a BullMQ worker, which otherwise waits forever for a connection between two
   * attempts.
   */
  endReconnecting: () => Promise<void>;
  close: () => Promise<void>;
}

/**
 * Opens a connection that reconnects in the background without a limit. Resolves when it is ready or the first attempt
 * has failed (within a second): a service starts without Redis and recovers by itself.
 *
 * - `cache`, `producer`: commands fail at once while Redis is unavailable, and after a second without a response.
 * - `worker`: commands wait until Redis is available again, without a limit. Only for BullMQ workers.
 */
export async function connectRedis({ url, kind, log }: ConnectOptions): Promise<RedisConnection> {
  let mayReconnect = true;
  const { plainUrl, tls } = tlsOf(url);
  const client = new Redis(plainUrl, { ...policyOf(kind, () => mayReconnect), ...(tls && { tls }) });
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

/** The options of the URL for TLS, which are those of MongoDB. @throws when a file cannot be read */
function tlsOf(url: string) {
  const parsed = new URL(url);
  const read = (name: string) => {
    const file = parsed.searchParams.get(name);
    parsed.searchParams.delete(name);
    return file ? readFileSync(file, 'utf8') : undefined;
  };
  const cert = read('tlsCertificateKeyFile');
  const ca = read('tlsCAFile');
  return cert || ca ? { plainUrl: parsed.href, tls: { ca, cert, key: cert } } : { plainUrl: url };
}

/** This client and all its future duplicates. */
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
  // A `worker` connection would queue the command until it reconnects.
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

export type RedisKind = 'cache' | 'producer' | 'worker';

const CONNECT_TIMEOUT_MS = 2_000;
const COMMAND_TIMEOUT_MS = 1_000;
const MAX_RETRY_DELAY_MS = 1_000;
/** Time limit for closing a connection. While Redis is unavailable, this timer keeps the process alive. */
const DISCONNECT_TIMEOUT_MS = 200;

const retryDelayMs = (attempt: number) => Math.min(50 * 2 ** Math.min(attempt, 10), MAX_RETRY_DELAY_MS);

const failFast: RedisOptions = {
  commandTimeout: COMMAND_TIMEOUT_MS,
  maxRetriesPerRequest: 1,
  enableOfflineQueue: false,
};

/**
 * How each kind of connection behaves while Redis is unavailable. All reconnect while `mayReconnect` returns true. No
 * `keyPrefix`: BullMQ rejects it.
 */
function policyOf(kind: RedisKind, mayReconnect: () => boolean): RedisOptions {
  const base: RedisOptions = {
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    retryStrategy: (attempt) => (mayReconnect() ? retryDelayMs(attempt) : null),
  };
  return kind === 'worker' ? { ...base, maxRetriesPerRequest: null } : { ...base, ...failFast };
}

/** Logs the start and the end of an outage once, however many reconnects fail in between. */
function logOutages(client: Redis, log: Logger): void {
  let isOutage = false;
  client.on('error', (error: Error) => {
    if (!isOutage) log.warn({ err: error }, 'redis is unavailable');
    isOutage = true;
  });
  client.on('ready', () => {
    if (isOutage) log.info('redis recovered');
    isOutage = false;
  });
}
