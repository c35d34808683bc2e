import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Mongo } from '@dtplatform/mongo';
import type { RedisConnection } from '@dtplatform/redis';

/** The connections of a process to its backends. */
export interface MeasuredBackends {
  mongo?: Pick<Mongo, 'poolUse'>;
  redis?: Pick<RedisConnection, 'isConnected'>;
}

/** Adds the use of the connections to the metrics of a process. */
export function measureBackends({ mongo, redis }: MeasuredBackends, registry: Registry): void {
  if (mongo) measurePools(mongo.poolUse, registry);
  if (redis) measureRedis(redis, registry);
}

function measurePools(poolUse: Mongo['poolUse'], registry: Registry): void {
  const registers = [registry];
  new Gauge({
    name: 'mongodb_pool_connections',
    help: 'Connections to MongoDB, by state.',
    labelNames: ['state'],
    registers,
    collect() {
      const { open, inUse } = poolUse();
      this.set({ state: 'in_use' }, inUse);
      this.set({ state: 'idle' }, open - inUse);
    },
  });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('mongodb_pool_max_connections', 'The most connections to each server.', () => poolUse().max);
  gauge('mongodb_pool_waiting', 'Operations that wait for a connection.', () => poolUse().waiting);
  new Counter({
    name: 'mongodb_pool_failures_total',
    help: 'Operations that got no connection.',
    registers,
    collect() {
      this.reset();
      this.inc(poolUse().failed);
    },
  });
}

function measureRedis(redis: Pick<RedisConnection, 'isConnected'>, registry: Registry): void {
  new Gauge({
    name: 'redis_connected',
    help: 'Whether this process is connected to Redis: 1 or 0.',
    registers: [registry],
    collect() {
      this.set(Number(redis.isConnected()));
    },
  });
}
