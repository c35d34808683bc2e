export { connectRedis } from './connect.js';
export type { RedisConnection, RedisKind } from './connect.js';
export { redisErrors } from './errors.js';
