export { connectRedis } from './connect.js';
export type { RedisConnection, RedisKind, RedisOptions } from './connect.js';
export { redisErrors } from './errors.js';
