import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { eventually } from '@dtplatform/testing';
import { startRedisTopology } from '../../../tools/stack/src/backends/redis-topology.js';
import { createOutbox, defineCatalogue, startRelay, startWorker } from '../src/index.js';
import { dropDatabase, log, openDatabase } from './support.js';

// A failover takes long on a busy machine.
const TIMEOUT_MS = 300_000;
const PATIENCE = { timeoutMs: 120_000 };

const catalogue = defineCatalogue('test.failover', { count: z.object({ n: z.number() }) });

describe.each(['sentinel', 'cluster'] as const)('messages in Redis with a %s', (kind) => {
  it(
    'are all processed, whenever a master fails',
    async () => {
      const [mongo, dataDir] = [await openDatabase(), await mkdtemp(path.join(tmpdir(), 'dtplatform-redis-'))];
      const topology = await startRedisTopology(kind, dataDir);
      const queuePrefix = mongo.db.databaseName;
      const place = { redisUrl: topology.url, log, queuePrefix };
      const processed = new Set<number>();
      const relay = await startRelay({ mongo, ...place, redelivery: { checkAfterMs: 1_000, maxCheckAfterMs: 1_000 } });
      const count = ({ n }: { n: number }) => Promise.resolve(void processed.add(n));
      const worker = await startWorker({ ...place, catalogue, handlers: { count } });
      const outbox = createOutbox(mongo);
      const put = (n: number) => mongo.transaction((session) => outbox.put(session, catalogue.messages.count, { n }));

      for (let n = 0; n < 20; n += 1) await put(n);
      const failingOver = topology.failOver(`{${queuePrefix}.${catalogue.queue}}`);
      for (let n = 20; n < 60; n += 1) await put(n);
      const restart = await failingOver;
      await eventually(() => expect(processed.size).toBe(60), PATIENCE);
      await restart();
      await put(60);
      await eventually(async () => expect(await mongo.db.collection('outbox').countDocuments()).toBe(0), PATIENCE);
      expect(processed.size).toBe(61);

      await Promise.all([relay.stop(), worker.stop(5_000)]);
      await topology.stop();
      await rm(dataDir, { recursive: true });
      await dropDatabase(mongo);
    },
    TIMEOUT_MS,
  );
});
