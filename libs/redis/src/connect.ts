import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pTimeout from 'p-timeout';
import type { Logger } from '@dtplatform/logging';
import { parseRedisUrl } from './address.js';
import { createClient } from './client.js';
import type { RedisClient, RedisKind } from './client.js';
import { createDurableWrites } from './durable-writes.js';
import type { DurableWrite } from './durable-writes.js';
import { createServerIds, mastersOf, onServers } from './servers.js';

const FIRST_ATTEMPT_MS = 1_000;
/** Below the command timeout, so that a ping that timed out is noticed here. */
const PING_TIMEOUT_MS = 900;
const END_TIMEOUT_MS = 3_000;
const RECONNECT_AFTER_END_MS = 100;

interface ConnectOptions {
  /** See `parseRedisUrl`. */
  url: string;
  kind: RedisKind;
  log: Logger;
}

export interface RedisConnection {
  client: RedisClient;
  /**
   * Runs commands whose effect a failover must not undo, such as a revocation. Resolves when they are done and as many
   * replicas as the URL says have them.
   */
  durably: (write: DurableWrite) => Promise<void>;
  /**
   * Identifies the connection to the server that has a key. It changes when another server takes over, and when the
   * server restarts: both may have lost the latest writes.
   */
  serverOf: (key: string) => string;
  /** Calls `listener` each time the connection is established. */
  onConnected: (listener: () => void) => void;
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
  const address = parseRedisUrl(url);
  const client = createClient(address, kind, () => mayReconnect);
  const serverOf = createServerIds(client);
  const clients = trackDuplicates(client, (one) => reconnectAfterEnd(one, () => mayReconnect));
  logOutages(client, log);
  await firstAttempt(client);

  let writer: RedisClient | undefined;
  const openWriter = async () => {
    writer = createClient(address, kind, () => mayReconnect);
    writer.on('error', () => undefined);
    reconnectAfterEnd(writer, () => mayReconnect);
    clients.push(writer);
    await firstAttempt(writer);
    return writer;
  };
  const endReconnecting = async () => {
    mayReconnect = false;
    const deadline = Date.now() + END_TIMEOUT_MS;
    while (!clients.every(isSettled) && Date.now() < deadline) await delay(20);
  };
  return {
    client,
    durably: createDurableWrites(client, openWriter, address.minReplicas),
    serverOf,
    onConnected: (listener) => onServers(client, listener),
    ping: () => ping(client),
    isConnected: () => client.status === 'ready',
    endReconnecting,
    async close() {
      mayReconnect = false;
      await Promise.all([close(client), writer && close(writer)]);
      // BullMQ only ends the connection: a client of sentinels has more.
      for (const one of clients) one.disconnect();
    },
  };
}

/**
 * ioredis gives up if it is told to reconnect, by a sentinel or after a ping without a response, while it is asking a
 * sentinel for the master.
 */
function reconnectAfterEnd(client: RedisClient, mayReconnect: () => boolean): void {
  if (!(client instanceof Redis)) return;
  let isClosed = false;
  const disconnect = client.disconnect.bind(client);
  client.disconnect = (reconnect = false) => {
    isClosed ||= !reconnect;
    disconnect(reconnect);
  };
  client.on('end', () => {
    setTimeout(() => {
      if (!isClosed && mayReconnect()) void client.connect().catch(() => undefined);
    }, RECONNECT_AFTER_END_MS);
  });
}

/** This client and all its future duplicates. @param onClient called with each */
function trackDuplicates(client: RedisClient, onClient: (client: RedisClient) => void): RedisClient[] {
  const clients = [client];
  onClient(client);
  // Clients of a server and of a cluster have different parameters.
  const duplicate = client.duplicate.bind(client) as (...options: unknown[]) => RedisClient;
  client.duplicate = (...options: unknown[]) => {
    const copy = duplicate(...options);
    clients.push(copy);
    onClient(copy);
    return copy as never;
  };
  return clients;
}

const isSettled = ({ status }: RedisClient) => status === 'ready' || status === 'end';

/** Waits for `ready` or `close`, whichever is first. */
async function firstAttempt(client: RedisClient): Promise<void> {
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

async function ping(client: RedisClient): Promise<void> {
  // A `worker` connection would queue the command until it reconnects.
  if (client.status !== 'ready') throw new Error('Connection is closed.');
  await Promise.all(mastersOf(client).map(pingServer));
}

async function pingServer(server: Redis): Promise<void> {
  await pTimeout(server.ping(), {
    milliseconds: PING_TIMEOUT_MS,
    fallback() {
      // The peer may have vanished without closing the connection; only a new connection helps then.
      server.disconnect(true);
      throw new Error('Command timed out');
    },
  });
}

async function close(client: RedisClient): Promise<void> {
  if (client.status === 'ready') await client.quit().catch(() => undefined);
  client.disconnect();
}

/** Logs the start and the end of an outage once, however many reconnects fail in between. */
function logOutages(client: RedisClient, log: Logger): void {
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
