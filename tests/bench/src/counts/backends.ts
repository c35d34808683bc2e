import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import type { Backends } from '@dtplatform/stack';
import { mongodbCommands, redisCommands } from './commands.js';

/** Collections with work that requests leave to a worker. */
const COLLECTIONS = ['outbox', 'grant_marks'];
const LISTS = ['wait', 'active', 'prioritized'];

interface ServerStatus {
  pid: number | bigint;
  metrics: { commands: Record<string, { total: number } | number> };
}

/** MongoDB and Redis of a stack. Commands sent from here are not counted. */
export interface CountedBackends {
  /** Their processes. */
  pids(): Promise<{ mongodb: number; redis: number }>;
  commands(): Promise<{ mongodb: number; redis: number }>;
  /** Names unfinished work; undefined when there is none. */
  pending(): Promise<string | undefined>;
  close(): Promise<void>;
}

export async function countBackends({ mongoUrl, redisUrl }: Backends): Promise<CountedBackends> {
  const mongo = await MongoClient.connect(mongoUrl, { monitorCommands: true });
  const redis = new Redis(redisUrl);
  const own = { mongodb: 0, redis: 0 };
  mongo.on('commandStarted', ({ commandName }) => (own.mongodb += mongodbCommands({ [commandName]: { total: 1 } })));
  const admin = mongo.db('admin');
  const serverStatus = () => admin.command({ serverStatus: 1 }) as unknown as Promise<ServerStatus>;
  const databases = (await admin.admin().listDatabases({ nameOnly: true })).databases.map(({ name }) => name);
  const queues = (await redis.keys('*:meta')).map((key) => key.replace(/meta$/, ''));
  own.redis += 1;

  return {
    async pids() {
      const [, pid] = /^process_id:(\d+)/m.exec(await redis.info('server'))!;
      return { mongodb: Number((await serverStatus()).pid), redis: Number(pid) };
    },
    async commands() {
      const { metrics } = await serverStatus();
      const redisCount = redisCommands(await redis.info('commandstats'));
      return { mongodb: mongodbCommands(metrics.commands) - own.mongodb, redis: redisCount - own.redis };
    },
    async pending() {
      for (const database of databases.filter((name) => name.startsWith('dtplatform_')))
        for (const name of COLLECTIONS)
          if (await mongo.db(database).collection(name).findOne()) return `${database}.${name}`;
      own.redis += 1;
      const waiting = await redis.exists(...queues.flatMap((queue) => LISTS.map((list) => queue + list)));
      return waiting > 0 ? 'jobs of queues' : undefined;
    },
    async close() {
      redis.disconnect();
      await mongo.close();
    },
  };
}
