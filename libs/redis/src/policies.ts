import type { RedisOptions } from 'ioredis';

export type RedisKind = 'cache' | 'producer' | 'worker';

const CONNECT_TIMEOUT_MS = 2_000;
const COMMAND_TIMEOUT_MS = 1_000;
const MAX_RETRY_DELAY_MS = 1_000;
/** How long closing a connection may take. While Redis is unavailable, this timer keeps the process alive. */
const DISCONNECT_TIMEOUT_MS = 200;

const retryDelayMs = (attempt: number) => Math.min(50 * 2 ** Math.min(attempt, 10), MAX_RETRY_DELAY_MS);

const failFast: RedisOptions = {
  commandTimeout: COMMAND_TIMEOUT_MS,
  maxRetriesPerRequest: 1,
  enableOfflineQueue: false,
};

/**
 * How a connection of each kind behaves while Redis is unavailable. All reconnect as long as `mayReconnect` returns true.
 * There is no `keyPrefix`: BullMQ refuses it.
 */
export function policyOf(kind: RedisKind, mayReconnect: () => boolean): RedisOptions {
  const base: RedisOptions = {
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    retryStrategy: (attempt) => (mayReconnect() ? retryDelayMs(attempt) : null),
  };
  return kind === 'worker' ? { ...base, maxRetriesPerRequest: null } : { ...base, ...failFast };
}
