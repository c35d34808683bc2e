import { MongoClient } from 'mongodb';
import { silentLogger } from '@dtplatform/logging';
import { connectRedis, mastersOf } from '@dtplatform/redis';
import type { BackendName, RedisTopology, ServiceProcess, Stack } from '@dtplatform/stack';

const STEP_DOWN_SECONDS = 5;

/** The stack and its faults. Each method that starts a fault resolves with its undo. */
export interface Platform {
  stack: Stack;
  kill: (name: BackendName) => Promise<Undo>;
  freeze: (name: BackendName) => Promise<Undo>;
  /** Deletes all data of Redis. */
  empty(): Promise<void>;
  stepDown(): Promise<Undo>;
  /** Kills the workers of all services. */
  killWorkers(): Promise<Undo>;
  /** Names of the processes that are not ready. */
  notReady(): Promise<string[]>;
  /** Stops the stack and the processes started again. */
  stop(): Promise<void>;
}

export type Undo = () => Promise<void>;

export const nothing: Undo = () => Promise.resolve();

/** A master whose key every request reads. */
const BUSY_KEY = 'access:notbefore:app:platform';

/** @param redis Redis with replicas, which then fails over instead of being unavailable */
export function createPlatform(stack: Stack, redis?: RedisTopology): Platform {
  let processes = [...stack.services];
  const { backends } = stack;

  return {
    stack,
    kill: (name) => (name === 'redis' && redis ? redis.failOver(BUSY_KEY) : backends.interrupt(name, 'kill')),
    freeze: (name) => (name === 'redis' && redis ? redis.failOver(BUSY_KEY, 'freeze') : backends.freeze(name)),
    async empty() {
      const { client, close } = await connectRedis({ url: backends.redisUrl, kind: 'cache', log: silentLogger() });
      await Promise.all(mastersOf(client).map((server) => server.flushall())).finally(close);
    },
    async stepDown() {
      const client = new MongoClient(backends.mongoUrl);
      try {
        await client.db('admin').command({ replSetStepDown: STEP_DOWN_SECONDS, force: true });
      } finally {
        await client.close();
      }
      return nothing;
    },
    async killWorkers() {
      const workers = processes.filter(({ url }) => url === undefined);
      for (const { kill } of workers) kill();
      await Promise.all(workers.map(({ exited }) => exited));
      return async () => {
        const again = await Promise.all(workers.map((worker) => worker.startAgain()));
        processes = [...processes.filter((one) => !workers.includes(one)), ...again];
      };
    },
    async notReady() {
      const ready = await Promise.all(processes.map(isReady));
      return processes.filter((_, index) => !ready[index]).map(({ name }) => name);
    },
    async stop() {
      // The stack stops its own processes, in order.
      const again = processes.filter((one) => !stack.services.includes(one));
      await Promise.all(again.map((one) => one.stop()));
      await stack.stop();
    },
  };
}

const isReady = ({ adminUrl }: ServiceProcess): Promise<boolean> =>
  fetch(`${adminUrl}/readyz`, { signal: AbortSignal.timeout(3_000) }).then(
    async (response) => (await response.body?.cancel(), response.ok),
    () => false,
  );
