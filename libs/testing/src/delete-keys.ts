import type { RedisClient } from '@dtplatform/redis';

const DELETE = `
  local keys = redis.call('KEYS', ARGV[1])
  for _, key in ipairs(keys) do redis.call('DEL', key) end
  return #keys`;

/**
 * Deletes all keys that match a pattern, at once: between `KEYS` and `DEL`, a queue could add a job and keep half of it.
 * @returns their number
 */
export const deleteKeys = async (redis: RedisClient, pattern: string): Promise<number> =>
  (await redis.eval(DELETE, 0, pattern)) as number;
