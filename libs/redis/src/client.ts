import { Cluster, Redis } from 'ioredis';
import type { RedisOptions } from 'ioredis';
import type { RedisAddress } from './address.js';

/** A client of one server, of a master found through sentinels, or of a cluster. */
export type RedisClient = Redis | Cluster;
export type RedisKind = 'cache' | 'producer' | 'worker';

const CONNECT_TIMEOUT_MS = 2_000;
const COMMAND_TIMEOUT_MS = 1_000;
const MAX_RETRY_DELAY_MS = 1_000;
/** Time limit for closing a connection. While Redis is unavailable, this timer keeps the process alive. */
const DISCONNECT_TIMEOUT_MS = 200;
/** A cluster reports a new master only to those who ask. */
const REFRESH_SLOTS_EVERY_MS = 5_000;

/**
 * How each kind of client behaves while Redis is unavailable. All reconnect while `mayReconnect` returns true. No
 * `keyPrefix`: BullMQ rejects it.
 */
export function createClient(address: RedisAddress, kind: RedisKind, mayReconnect: () => boolean): RedisClient {
  const { username, password, family, tls, db } = address;
  const retry = (attempt: number) => (mayReconnect() ? retryDelayMs(attempt) : null);
  const waits = kind === 'worker';
  const options: RedisOptions = {
    ...{ username, password, family, tls },
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    ...(waits ? { maxRetriesPerRequest: null } : { commandTimeout: COMMAND_TIMEOUT_MS, maxRetriesPerRequest: 1 }),
  };
  if (address.kind === 'cluster') return createCluster(address, options, retry, waits);
  return new Redis({
    ...options,
    db,
    ...(address.kind === 'sentinel' ? sentinelsOf(address, retry) : address.hosts[0]),
    enableOfflineQueue: waits,
    retryStrategy: retry,
    // A former master stays connected when a failover behind its address has demoted it.
    reconnectOnError: (error) => (error.message.includes('READONLY') ? 2 : false),
  });
}

const retryDelayMs = (attempt: number) => Math.min(50 * 2 ** Math.min(attempt, 10), MAX_RETRY_DELAY_MS);

const createCluster = (
  { hosts }: RedisAddress,
  redisOptions: RedisOptions,
  clusterRetryStrategy: (attempt: number) => number | null,
  waits: boolean,
) =>
  new Cluster(hosts, {
    redisOptions,
    clusterRetryStrategy,
    enableOfflineQueue: waits,
    ...(waits && { maxRedirections: Infinity }),
    slotsRefreshInterval: REFRESH_SLOTS_EVERY_MS,
    // Certificates name hosts, not their addresses.
    dnsLookup: (host, callback) => callback(null, host),
  });

const sentinelsOf = (address: RedisAddress, sentinelRetryStrategy: (attempt: number) => number | null) => ({
  sentinels: address.hosts,
  name: address.masterName,
  sentinelUsername: address.sentinelUsername,
  sentinelPassword: address.sentinelPassword,
  sentinelTLS: address.tls,
  enableTLSForSentinelMode: address.tls !== undefined,
  sentinelRetryStrategy,
  // One that hangs must not keep the client from asking the others.
  sentinelCommandTimeout: COMMAND_TIMEOUT_MS,
  sentinelReconnectStrategy: sentinelRetryStrategy,
  // A former master that still runs would answer with what was revoked in the meantime.
  failoverDetector: true,
});
