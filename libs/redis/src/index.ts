export { parseRedisUrl } from './address.js';
export type { RedisClient, RedisKind } from './client.js';
export { connectRedis } from './connect.js';
export type { RedisConnection } from './connect.js';
export { redisErrors } from './errors.js';
export { deleteKeys, readKeys } from './keys.js';
export { createCommandSender } from './scripts.js';
export { mastersOf } from './servers.js';
