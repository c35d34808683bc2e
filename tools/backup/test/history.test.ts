import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { silentReport, startBackends } from '@dtplatform/stack';
import type { Backends } from '@dtplatform/stack';
import { withSnapshot } from '../src/backup/snapshot.js';
import { withDatabases } from '../src/databases.js';
import { newPlatform } from './platform.js';

/** On a separate MongoDB, because the others would lose their history, too. */
describe('a backup that takes longer than MongoDB keeps its history', () => {
  let dataDir: string;
  let backends: Backends;

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-history-'));
    const { MONGO_URL: _shared, ...env } = process.env;
    backends = await startBackends({ dataDir, report: silentReport, env });
  });
  afterAll(async () => {
    await backends.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('fails with what the operator can do', async () => {
    const platform = newPlatform();
    const settings = { ...platform.settings, MONGO_URL: backends.mongoUrl };
    await platform.stop();
    const client = await MongoClient.connect(settings.MONGO_URL);
    const items = client.db(`${settings.MONGO_DATABASE_PREFIX}itemsvc`).collection<{ _id: string }>('items');
    await items.insertOne({ _id: 'one' });

    const reading = withDatabases(settings, (databases) =>
      withSnapshot(databases, async ({ session }) => {
        await client.db('admin').command({ setParameter: 1, minSnapshotHistoryWindowInSeconds: 0 });
        // The history ends with one of the next writes.
        for (;;) {
          await items.updateOne({ _id: 'one' }, { $inc: { late: 1 } });
          await databases.of('itemsvc').collection('items').find({}, { session }).toArray();
        }
      }),
    );
    await expect(reading).rejects.toThrow('raise minSnapshotHistoryWindowInSeconds (300 by default');
    await client.close();
  });
});
