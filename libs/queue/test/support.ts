import { silentLogger } from '@dtplatform/logging';
import { connectMongo, ensureIndexes, newId } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { connectRedis } from '@dtplatform/redis';
import { deleteKeys, startCuttableProxy } from '@dtplatform/testing';
import { queueModels } from '../src/index.js';

export const redisUrl = process.env.REDIS_URL ?? '';
export const log = silentLogger();

/** A database with the library's collections. Its name also separates the queues of the test from all others. */
export async function openDatabase(): Promise<Mongo> {
  const url = process.env.MONGO_URL ?? '';
  const mongo = await connectMongo({ url, database: `test_queue_${newId()}`, appName: 'test', log });
  await ensureIndexes(mongo, queueModels, log);
  return mongo;
}

export async function dropDatabase(mongo: Mongo): Promise<void> {
  await emptyRedis(mongo.db.databaseName);
  await mongo.db.dropDatabase();
  await mongo.close();
}

/** Simulates the loss of Redis data for one test: deletes all its keys. */
export async function emptyRedis(queuePrefix: string): Promise<number> {
  const redis = await connectRedis({ url: redisUrl, kind: 'cache', log });
  const count = await deleteKeys(redis.client, `{${queuePrefix}.*`);
  await redis.close();
  return count;
}

/** Redis through a connection that a test can cut. */
export async function startRedisProxy() {
  const target = new URL(redisUrl);
  const proxy = await startCuttableProxy(target);
  return { proxy, proxiedUrl: `redis://127.0.0.1:${proxy.port}${target.pathname}` };
}
