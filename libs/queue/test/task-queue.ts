import { expect } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { createTasks, defineCatalogue, startRelay, startWorker, taskHandler, taskPayload } from '../src/index.js';
import type { OutboxEntry, Task, TaskContext, TaskOutcome, WorkerHandle } from '../src/index.js';
import { dropDatabase, log, openDatabase, redisUrl } from './support.js';

interface Input {
  amount: number;
}

export const catalogue = defineCatalogue('test.tasks', {
  double: { payload: taskPayload, attempts: 3, backoffMs: 10 },
});
export const double = async ({ _input }: Task<Input>) => ({ status: 201, body: { doubled: _input.amount * 2 } });

/** Tasks in a separate database, with a relay, and with workers on demand. */
export async function openTaskQueue({ checkAfterMs = 300 } = {}) {
  const mongo = await openDatabase();
  const queuePrefix = mongo.db.databaseName;
  const tasks = createTasks(mongo);
  const collection = mongo.db.collection<Task>('async_tasks');
  const relay = await startRelay({ mongo, redisUrl, log, queuePrefix, redelivery: { checkAfterMs } });
  const workers: WorkerHandle[] = [];
  const stopWorkers = () => Promise.all(workers.splice(0).map((worker) => worker.stop(0)));
  return {
    mongo,
    queuePrefix,
    tasks,
    collection,
    entries: mongo.db.collection<OutboxEntry>('outbox'),
    work: async (run: (task: Task<Input>, context: TaskContext) => Promise<TaskOutcome>) => {
      const handlers = { double: taskHandler<Input>(tasks, run) };
      const worker = await startWorker({ catalogue, redisUrl, handlers, concurrency: 4, log, queuePrefix });
      workers.push(worker);
      return worker;
    },
    accept: (amount: number) =>
      mongo.transaction((session) =>
        tasks.create(session, {
          message: catalogue.messages.double,
          namespaces: ['n'],
          input: { amount },
          createdById: 'ada',
          reqBodySize: 12,
        }),
      ),
    ended: (id: string) =>
      eventually(async () => {
        const task = await tasks.get(id);
        expect(['COMPLETED', 'ERROR']).toContain(task?._status);
        return task;
      }),
    /** Stops the workers and deletes the tasks. */
    async reset() {
      await stopWorkers();
      await collection.deleteMany({});
      await mongo.db.collection('outbox').deleteMany({});
    },
    async close() {
      await stopWorkers();
      await relay.stop();
      await dropDatabase(mongo);
    },
  };
}
