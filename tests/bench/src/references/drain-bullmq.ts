import { Queue, Worker } from 'bullmq';
import { MongoClient } from 'mongodb';
import { argument, finish } from '../load/program.js';
import { ownUsage } from '../usage.js';

export interface DrainBullmq {
  mongoUrl: string;
  redisUrl: string;
  jobs: number;
  concurrency: number;
}

const QUEUE = 'bench-drain';

/** Processes the jobs in a queue, each with one acknowledged write of a document that marks it done. */
const { mongoUrl, redisUrl, jobs, concurrency } = argument<DrainBullmq>();
const client = await MongoClient.connect(mongoUrl, { writeConcern: { w: 'majority' } });
const tasks = client.db('bench_reference').collection<{ _id: string; status: string }>('tasks');
const connection = { url: redisUrl, maxRetriesPerRequest: null };
const queue = new Queue(QUEUE, { connection });
const ids = Array.from({ length: jobs }, (_, n) => `${Date.now()}-${n}`);
await tasks.insertMany(ids.map((_id) => ({ _id, status: 'QUEUED' })));
await queue.addBulk(ids.map((id) => ({ name: 'task', data: { id } })));

/** When the first job began. */
let begun = 0;
let done = 0;
const worker = new Worker<{ id: string }>(
  QUEUE,
  async ({ data: { id } }) => {
    begun ||= performance.now();
    await tasks.updateOne({ _id: id }, { $set: { status: 'COMPLETED' } });
  },
  { connection, concurrency, autorun: false },
);
const ended = new Promise<number>((resolve) => {
  worker.on('completed', () => void (++done === jobs && resolve(performance.now())));
});
void worker.run();
const elapsedMs = (await ended) - begun;
await worker.close();
await queue.obliterate({ force: true });
finish({ perSecond: (jobs / elapsedMs) * 1000, done: jobs, usage: ownUsage() });
