import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { newFolder, newPlatform } from './platform.js';
import type { BackupFolder } from './platform.js';

const ACCOUNTS = 200;

describe('a backup of a running platform', () => {
  const [busy, restored] = [newPlatform(), newPlatform()];
  let folder: BackupFolder;

  beforeAll(async () => {
    folder = await newFolder();
    await busy.bucket.ensureBucket();
    const accounts = Array.from({ length: ACCOUNTS }, (_, n) => ({ _id: `account ${n}`, amount: 0 }));
    await busy.documents('itemsvc', 'accounts').insertMany(accounts);
    await busy.documents('metricsvc', 'accounts').insertMany(accounts);
    await busy.documents('filesvc', 'files').insertOne({ _id: 'first' });
  });
  afterAll(async () => {
    await Promise.all([busy.stop(), restored.stop(), folder.remove()]);
  });

  it('is from one point in time: the writes of a transaction are in all databases, or in none', async () => {
    const writers = startWriters();
    await writers.until(50);
    const result = await folder.backup(busy);
    await writers.until(writers.count() + 50);
    await writers.stop();
    await folder.restore(restored);

    const sumOf = async (service: string) => {
      const [sum] = await restored
        .db(service)
        .collection('accounts')
        .aggregate<{ sum: number }>([{ $group: { _id: null, sum: { $sum: '$amount' } } }])
        .toArray();
      return sum!.sum;
    };
    expect(await sumOf('itemsvc')).toBeGreaterThan(0);
    expect(await sumOf('itemsvc')).toBe(-(await sumOf('metricsvc')));
    expect(result.documents).toBeGreaterThan(2 * ACCOUNTS);
  });

  /** Moves amounts between databases, each in a transaction, in random order and rhythm. */
  function startWriters() {
    let [count, isStopped] = [0, false];
    const write = async (client: MongoClient) => {
      const accounts = (service: string) =>
        client.db(busy.db(service).databaseName).collection<{ _id: string }>('accounts');
      while (!isStopped) {
        const _id = `account ${Math.floor(Math.random() * ACCOUNTS)}`;
        await client.withSession((session) =>
          session.withTransaction(async () => {
            await accounts('itemsvc').updateOne({ _id }, { $inc: { amount: 1 } }, { session });
            await accounts('metricsvc').updateOne({ _id }, { $inc: { amount: -1 } }, { session });
          }),
        );
        count += 1;
      }
    };
    const clients = [1, 2, 3].map(() => new MongoClient(busy.settings.MONGO_URL));
    const writing = Promise.all(clients.map(write));
    return {
      count: () => count,
      until: async (wanted: number) => {
        while (count < wanted) await Promise.race([writing, new Promise((resolve) => setTimeout(resolve, 10))]);
      },
      stop: async () => {
        isStopped = true;
        await writing;
        await Promise.all(clients.map((client) => client.close()));
      },
    };
  }
});
